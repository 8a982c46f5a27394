import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { redactSecretFields } from '@varve/text';
import type { Context } from 'hono';
import type { ServerEnv, Route } from './route.ts';
import type { Services } from '../services.ts';
import { guardedBody } from './guarded-body.ts';
import { requestBody, type RequestBody } from './request-body.ts';
import { routeConfig, type RouteDescription } from './route-config.ts';
import { validationErrors, type RequestPart } from './validation-errors.ts';

/** Validated input of a handler. */
export interface RouteInput<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  /** The request: its headers, its signal, and the body of an upload, which is not read yet. */
  readonly request: Request;
}

/** Options of `defineRoute`: what the document describes, and the handler. */
export interface RouteOptions<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> extends RouteDescription {
  readonly params?: () => Params;
  readonly query?: () => Query;
  readonly body?: () => Body;
  readonly handle: (
    input: RouteInput<Params, Query, Body>,
    services: Services,
    context: Context<ServerEnv>,
  ) => Promise<Response> | Response;
}

const nothing = lazy(() => z.object({}));

/**
 * Defines a route: one entry of a list in `routes.ts`. Invalid input is answered with status 422 and all errors.
 *
 * Routes are validated here and not by `createRoute`, because the reference reports the errors of path, query and body
 * together, and reads bodies of `GET`. Schemas are built for the first request of the route, or for the document.
 */
export function defineRoute<
  Params extends z.ZodObject = ReturnType<typeof nothing>,
  Query extends z.ZodObject = ReturnType<typeof nothing>,
  Body extends z.ZodType = z.ZodUndefined,
>(options: RouteOptions<Params, Query, Body>): Route {
  const params = lazy<z.ZodType>(options.params ?? nothing);
  const query = lazy<z.ZodType>(options.query ?? nothing);
  const body = options.body && lazy<z.ZodType>(options.body);
  return {
    method: options.method,
    path: options.path,
    config: (tag) => routeConfig(options, tag),
    async handle(context, services) {
      const { input, detail } = await readInput(context, { params, query, body });
      if (detail.length > 0) return invalidInput(detail, services);
      // Without a schema a type parameter is the type of its default.
      const response = await options.handle(input as RouteInput<Params, Query, Body>, services, context);
      return options.download === undefined ? response : guardedBody(response, context);
    },
  };
}

/** Returns a list of routes that have a tag in the document, unless they have one of their own. */
export function tagged(tag: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, config: () => route.config(tag) }));
}

/** Schemas of the parts of a request; without one, the body is not read. */
interface InputSchemas {
  readonly params: () => z.ZodType;
  readonly query: () => z.ZodType;
  readonly body: (() => z.ZodType) | undefined;
}

/** Parses the parts of a request, and returns the errors of all of them together. */
async function readInput(context: Context<ServerEnv>, { params, query, body }: InputSchemas) {
  const { req } = context;
  const [path, search] = [req.param(), queryOf(new URL(req.url))];
  const sent = body && (await requestBody(context));
  const parsed = {
    params: params().safeParse(path),
    query: query().safeParse(search),
    body: body?.().safeParse(sent && valueOf(sent)),
  };
  const detail = [
    ...errorsOf('path', path, parsed.params),
    ...errorsOf('query', search, parsed.query),
    ...(sent && parsed.body ? ('errors' in sent ? sent.errors : errorsOf('body', sent.value, parsed.body)) : []),
  ];
  return {
    detail,
    input: { params: parsed.params.data, query: parsed.query.data, body: parsed.body?.data, request: req.raw },
  };
}

/** Returns a response that lists errors. They repeat parts of the request, names of fields included. */
function invalidInput(detail: readonly unknown[], { secrets }: Services): Response {
  const headers = { 'content-type': 'application/json' };
  return new Response(secrets.redactor.jsonText(JSON.stringify({ detail })), { status: 422, headers });
}

/** Returns the parameters of a query; one that is repeated is a list. */
function queryOf({ searchParams }: URL): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const [first = '', ...more] = searchParams.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
}

function valueOf(body: RequestBody): unknown {
  return 'value' in body ? body.value : undefined;
}

function errorsOf(part: RequestPart, sent: unknown, { error }: z.ZodSafeParseResult<unknown>) {
  return validationErrors(part, sent, error?.issues ?? []).map((detail) => ({
    ...detail,
    input: withoutSecrets(detail),
  }));
}

/** Returns the input of an error without values that are secrets by their names: clients write responses to logs. */
function withoutSecrets({
  loc,
  input,
}: {
  readonly loc: readonly (string | number)[];
  readonly input: unknown;
}): unknown {
  return redactSecretFields({ [loc.at(-1) ?? '']: input }, '<redacted>')[loc.at(-1) ?? ''];
}
