import { z, type RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { keyHeader } from './guards/require-key.ts';
import type { Services } from './services.ts';
import { validationError, validationErrors } from './validation-errors.ts';

/** One operation: its entry in the OpenAPI document and its handler. */
export interface Route {
  readonly config: RouteConfig;
  /** Handles a request. Throws an `HTTPException` for errors of the client. */
  readonly handle: (context: Context, services: Services) => Promise<Response>;
}

/** Options of `defineRoute`. */
export interface RouteOptions<Params extends z.ZodObject, Query extends z.ZodObject> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with parameters in braces; paths below `/api/` require a key. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Schema of the response with status 200. It documents the response and is not applied to it. */
  readonly response: z.ZodType;
  /** Meaning of error statuses. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly handle: (
    input: { readonly params: z.output<Params>; readonly query: z.output<Query> },
    services: Services,
  ) => Promise<Response> | Response;
}

/** Security scheme of the OpenAPI document for the key. @see agent-server 1.43.1 OpenAPI */
export const keyScheme = { name: 'APIKeyHeader', scheme: { type: 'apiKey', in: 'header', name: keyHeader } } as const;

const unprocessable = z.object({ detail: z.array(validationError) }).openapi('HTTPValidationError');
const refused = z.object({ detail: z.string() }).openapi('Refusal');
const nothing = z.object({});

/**
 * Defines a route: one entry of a group in `routes/`. Invalid input is answered with status 422 and all errors.
 *
 * Routes are validated here and not by `createRoute`, because the reference reports errors of path and query together.
 */
export function defineRoute<Params extends z.ZodObject = typeof nothing, Query extends z.ZodObject = typeof nothing>(
  options: RouteOptions<Params, Query>,
): Route {
  return {
    config: configOf(options),
    async handle(context, services) {
      const sent = { params: context.req.param(), query: Object.fromEntries(new URL(context.req.url).searchParams) };
      const params = parse(options.params, sent.params);
      const query = parse(options.query, sent.query);
      if (params.success && query.success) return options.handle({ params: params.data, query: query.data }, services);
      const detail = [
        ...validationErrors('path', sent.params, params.error?.issues ?? []),
        ...validationErrors('query', sent.query, query.error?.issues ?? []),
      ];
      return Response.json({ detail }, { status: 422 });
    },
  };
}

function parse<Schema extends z.ZodObject>(
  schema: Schema | undefined,
  raw: object,
): z.ZodSafeParseResult<z.output<Schema>> {
  // Without a schema the type parameter is the type of `nothing`.
  return (schema ?? nothing).safeParse(raw) as z.ZodSafeParseResult<z.output<Schema>>;
}

function configOf<Params extends z.ZodObject, Query extends z.ZodObject>({
  method,
  path,
  tag,
  summary,
  params,
  query,
  response,
  errors = {},
}: RouteOptions<Params, Query>): RouteConfig {
  const isGuarded = path.startsWith('/api/');
  const described = { ...(isGuarded && { 401: 'Missing or unknown key.' }), ...errors };
  const hasInput = params !== undefined || query !== undefined;
  return {
    method,
    path,
    tags: [tag],
    summary,
    request: { ...(params && { params }), ...(query && { query }) },
    ...(isGuarded && { security: [{ [keyScheme.name]: [] }] }),
    responses: {
      200: { description: 'Success.', content: { 'application/json': { schema: response } } },
      ...Object.fromEntries(
        Object.entries(described).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: refused } } },
        ]),
      ),
      ...(hasInput && {
        422: {
          description: 'The request does not match its schema.',
          content: { 'application/json': { schema: unprocessable } },
        },
      }),
    },
  };
}
