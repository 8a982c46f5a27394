import { z, type RouteConfig } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { validationError } from './validation-errors.ts';

/** The header that carries the key. @see agent-server 1.43.1 OpenAPI, securitySchemes.APIKeyHeader */
export const keyHeader = 'X-Session-API-Key';

/** The documented part of a route. */
export interface RouteDescription {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with parameters in braces; paths below `/api/` require a key. */
  readonly path: `/${string}`;
  /** True for a path below `/api/` that requires no key. */
  readonly isOpen?: boolean;
  /** Default: the tag of its list. */
  readonly tag?: string;
  readonly summary: string;
  readonly params?: () => z.ZodObject;
  readonly query?: () => z.ZodObject;
  /** Headers that the handler reads itself. */
  readonly headers?: () => z.ZodObject;
  /** JSON body; a schema that accepts `undefined` makes it optional. */
  readonly body?: () => z.ZodType;
  /** Content types of a body that the handler reads itself, such as an upload. */
  readonly upload?: () => Readonly<Record<string, z.ZodType>>;
  /** Status of success; default 200. */
  readonly status?: 200 | 201 | 204;
  /** JSON of a successful response. It documents the response and is not applied to it. Default: an empty response. */
  readonly response?: () => z.ZodType;
  /** Content type of a response that is not JSON. */
  readonly download?: string;
  /** Other statuses of success. */
  readonly alternatives?: Readonly<Record<number, string>>;
  /** Meaning of error statuses. */
  readonly errors?: Readonly<Record<number, string>>;
}

/** Security scheme of the OpenAPI document for the key. @see agent-server 1.43.1 OpenAPI */
export const keyScheme = { name: 'APIKeyHeader', scheme: { type: 'apiKey', in: 'header', name: keyHeader } } as const;

const unprocessable = lazy(() => z.object({ detail: z.array(validationError()) }).openapi('HTTPValidationError'));
const refused = lazy(() => z.object({ detail: z.string() }).openapi('Refusal'));

/** Returns the entry of a route in the OpenAPI document. */
export function routeConfig(route: RouteDescription, listTag = ''): RouteConfig {
  const { method, path, tag = listTag, summary, params, query, headers } = route;
  const body = bodyConfig(route);
  return {
    method,
    path,
    operationId: operationId(route),
    tags: [tag],
    summary,
    request: {
      ...(params && { params: params() }),
      ...(query && { query: query() }),
      ...(headers && { headers: headers() }),
      ...(body && { body }),
    },
    ...(isGuarded(route) && { security: [{ [keyScheme.name]: [] }] }),
    responses: responses(route),
  };
}

/**
 * Returns the name of an operation, by which generated clients call it: `getConversationsByConversationIdEvents` for
 * `GET /api/conversations/{conversation_id}/events`.
 */
function operationId({ method, path }: RouteDescription): string {
  const words = path
    .replace(/^\/api(?=\/)/, '')
    .replaceAll('{', 'by_')
    .match(/[a-z0-9]+/gi) ?? ['root'];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function bodyConfig({ body, upload }: RouteDescription): NonNullable<RouteConfig['request']>['body'] {
  if (upload) return { required: true, content: withSchemas(upload()) };
  if (!body) return undefined;
  const schema = body();
  return { required: !schema.safeParse(undefined).success, content: { 'application/json': { schema } } };
}

function withSchemas(types: Readonly<Record<string, z.ZodType>>) {
  return Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));
}

function responses(route: RouteDescription): RouteConfig['responses'] {
  const { status = 200, response, download, alternatives = {}, errors = {} } = route;
  const described = { ...(isGuarded(route) && { 401: 'Missing or unknown key.' }), ...errors };
  const success = {
    ...(response && { content: { 'application/json': { schema: response() } } }),
    ...(download !== undefined && { content: { [download]: { schema: z.string().openapi({ format: 'binary' }) } } }),
  };
  return {
    [status]: { description: 'Success.', ...success },
    ...mapped(alternatives, (description) => ({ description, ...success })),
    ...mapped(described, (description) => ({ description, content: { 'application/json': { schema: refused() } } })),
    ...(hasInput(route) && {
      422: {
        description: 'The request does not match its schema.',
        content: { 'application/json': { schema: unprocessable() } },
      },
    }),
  };
}

function mapped<Out>(record: Readonly<Record<number, string>>, change: (text: string) => Out) {
  return Object.fromEntries(Object.entries(record).map(([status, text]) => [status, change(text)]));
}

function isGuarded({ path, isOpen = false }: RouteDescription): boolean {
  if (isOpen) return false;
  return /^\/(?:api|v1)\//.test(path) || path === '/metrics';
}

function hasInput({ params, query, body, upload }: RouteDescription): boolean {
  return [params, query, body, upload].some((part) => part !== undefined);
}

/** Response of operations without a result. @see agent-server 1.43.1 OpenAPI, Success */
export const success = lazy(() => z.object({ success: z.boolean().default(true) }).openapi('Success'));

/** Returns the response of an operation that succeeded. */
export function successful(): Response {
  return Response.json({ success: true });
}
