import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { errorResponse } from '../route/handle-failure.ts';
import type { ServerEnv } from '../route/route.ts';
import { keyHeader } from '../route/route-config.ts';
import type { FailedKeys } from './failed-keys.ts';
import type { KeyCheck } from './key-check.ts';
import { initKeyHeader, isInitPath } from './require-init-key.ts';
import type { WorkspaceSessionCheck } from './workspace-session.ts';

/** Parts of `requireKey`. */
export interface RequireKeyOptions {
  readonly isKey: KeyCheck;
  readonly isWorkspaceSession: WorkspaceSessionCheck;
}

/**
 * Accepts requests that contain a key in their header, requests of a session for files of a workspace, and those of the
 * initialization, whose key is checked elsewhere.
 */
export function requireKey({ isKey, isWorkspaceSession }: RequireKeyOptions): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const isAccepted = isKey(keyOf(context) ?? '') || isWorkspaceSession(context);
    if (!isAccepted && !isInitPath(context.req.path)) throw new HTTPException(401, { message: 'Unauthorized' });
    if (isAccepted) context.env?.trust?.();
    await next();
  };
}

/** The stream of events, whose clients in browsers can send no header. */
const stream = /^\/api\/conversations\/[^/]+\/events\/stream\/?$/;

/** Clients of the protocol of OpenAI send the key as a bearer token. */
function keyOf({ req }: Context<ServerEnv>): string | undefined {
  if (stream.test(req.path)) return req.header(keyHeader) ?? req.query('session_api_key');
  const bearer = req.path.startsWith('/v1/') ? /^bearer +(\S+)$/i.exec(req.header('authorization') ?? '') : undefined;
  return req.header(keyHeader) ?? bearer?.[1];
}

/** Rejects requests of addresses that sent many wrong keys, and counts wrong keys. */
export function limitFailedKeys(failed: FailedKeys): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    // A request made in this process has no connection.
    const address = context.env?.sender;
    const waitMs = failed.waitOf(address);
    if (waitMs > 0) {
      return errorResponse(429, 'Too many wrong keys.', { 'retry-after': String(Math.ceil(waitMs / 1000)) });
    }
    await next();
    const { req } = context;
    const sent = [keyOf(context), req.query('session_api_key'), req.header(initKeyHeader)];
    const hasKey = sent.some((key) => key !== undefined);
    if (hasKey && (context.res.status === 401 || context.res.status === 403)) failed.add(address);
    return undefined;
  };
}

/** Accepts requests for metrics with one of the keys in their header, or as the bearer that Prometheus sends. */
export function requireMetricsKey(isKey: KeyCheck): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const bearer = /^Bearer (.+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (!isKey(context.req.header(keyHeader) ?? bearer ?? ''))
      throw new HTTPException(401, { message: 'Unauthorized' });
    context.env?.trust?.();
    await next();
  };
}
