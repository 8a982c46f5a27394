import { z, type RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { keyHeader } from './guards/require-key.ts';
import type { Services } from './services.ts';
import { validationError, validationErrors } from './validation-errors.ts';

/** One operation: what the OpenAPI document says of it, and how it is answered. */
export interface Route {
  readonly config: RouteConfig;
  /** Throws an `HTTPException` for what the caller did wrong. */
  readonly answer: (context: Context, services: Services) => Promise<Response>;
}

/** What makes a route. */
export interface RouteOptions<Params extends z.ZodObject, Query extends z.ZodObject> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Parameters in braces; below `/api/` a key is needed. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  /** What is sent with status 200. It documents: nothing that is sent is checked. */
  readonly answer: z.ZodType;
  /** What other statuses mean. */
  readonly refusals?: Readonly<Record<number, string>>;
  readonly handle: (
    input: { readonly params: z.output<Params>; readonly query: z.output<Query> },
    services: Services,
  ) => Promise<Response> | Response;
}

/** The name under which the OpenAPI document knows the key. @see agent-server 1.43.1 OpenAPI */
export const keyScheme = { name: 'APIKeyHeader', scheme: { type: 'apiKey', in: 'header', name: keyHeader } } as const;

const unprocessable = z.object({ detail: z.array(validationError) }).openapi('HTTPValidationError');
const refused = z.object({ detail: z.string() }).openapi('Refusal');
const nothing = z.object({});

/** Defines a route: one entry of a group in `routes/`. Input that breaks its schemas is answered with all that is wrong. */
export function defineRoute<Params extends z.ZodObject = typeof nothing, Query extends z.ZodObject = typeof nothing>(
  options: RouteOptions<Params, Query>,
): Route {
  return {
    config: configOf(options),
    async answer(context, services) {
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
  // Without a schema the type parameter is that of `nothing`.
  return (schema ?? nothing).safeParse(raw) as z.ZodSafeParseResult<z.output<Schema>>;
}

function configOf<Params extends z.ZodObject, Query extends z.ZodObject>({
  method,
  path,
  tag,
  summary,
  params,
  query,
  answer,
  refusals = {},
}: RouteOptions<Params, Query>): RouteConfig {
  const isGuarded = path.startsWith('/api/');
  const described = { ...(isGuarded && { 401: 'No known key.' }), ...refusals };
  const hasInput = params !== undefined || query !== undefined;
  return {
    method,
    path,
    tags: [tag],
    summary,
    request: { ...(params && { params }), ...(query && { query }) },
    ...(isGuarded && { security: [{ [keyScheme.name]: [] }] }),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: answer } } },
      ...Object.fromEntries(
        Object.entries(described).map(([status, description]) => [
          status,
          { description, content: { 'application/json': { schema: refused } } },
        ]),
      ),
      ...(hasInput && {
        422: {
          description: 'The request breaks its schema.',
          content: { 'application/json': { schema: unprocessable } },
        },
      }),
    },
  };
}
