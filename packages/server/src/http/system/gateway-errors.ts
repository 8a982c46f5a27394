import { parseJson } from '@varve/text';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ServerEnv } from '../route/route.ts';

/** Types of errors by their status. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Returns an error in the form of the protocol of OpenAI. */
export function gatewayError(status: number, message: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { message, type, param: null, code: null };
}

const issue = lazy(() => z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }));
const failed = lazy(() =>
  z.looseObject({
    detail: z.union([z.string(), z.array(issue())]),
    exception: z.string().optional(),
    error: z.undefined().optional(),
  }),
);

/**
 * Adds the error in the form of OpenAI to failed responses, next to the one of the reference, and keeps clients from
 * sending a request again once its run has begun: each repetition would be another run over the same files.
 */
export function gatewayErrors(): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    await next();
    const { res: response } = context;
    if (response.ok) return;
    if (context.get('isRunBegun')) context.header('x-should-retry', 'false');
    const { data } = failed().safeParse(parseJson(await response.clone().text()));
    // Without a known body, or from a replica that has added it.
    if (!data) return;
    const { detail, exception } = data;
    const message = exception ?? (typeof detail === 'string' ? detail : issuesText(detail));
    const { status } = response;
    context.res = Response.json({ ...data, error: gatewayError(status, message) }, { status });
  };
}

function issuesText(issues: readonly z.output<ReturnType<typeof issue>>[]): string {
  return issues.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}

/** Fields that would change the answer, with what a request without them has. */
const unsupported: Readonly<Record<string, (value: unknown) => boolean>> = {
  tools: isEmpty,
  functions: isEmpty,
  n: (value) => value === 1,
  response_format: (value) => typeof value === 'object' && value !== null && 'type' in value && value.type === 'text',
  logprobs: (value) => value === false,
  audio: () => false,
  modalities: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
};

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Refuses requests for what the gateway does not do. @throws {HTTPException} 400. */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [field, isDefault] of Object.entries(unsupported)) {
    const value = body[field];
    if (value === undefined || value === null || isDefault(value)) continue;
    throw new HTTPException(400, {
      message: `The field ${field} is not supported: an agent with its own tools answers.`,
    });
  }
}
