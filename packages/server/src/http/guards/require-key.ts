import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { errorResponse } from '../route/handle-failure.ts';
import type { ServerEnv } from '../route/route.ts';
import { keyHeader } from '../route/route-config.ts';
import type { WindowCounts } from './failed-keys.ts';
import type { Access } from '../../access.ts';
import type { Authentication } from './authentication.ts';
import { checkScope, scopeOf } from './scopes.ts';
import { initKeyHeader, isInitPath } from './require-init-key.ts';
import type { WorkspaceSessionCheck } from './workspace-session.ts';

/** Parts of `requireKey`. */
export interface RequireKeyOptions {
  readonly authenticate: Authentication;
  readonly isWorkspaceSession: WorkspaceSessionCheck;
  /** Returns what the sender of a request may do that another replica has forwarded. */
  readonly forwardedAccess?: ((request: Request) => Promise<Access | undefined>) | undefined;
}

/**
 * Accepts requests that contain a key with the right that they need, requests of a session for files of a workspace,
 * and those of the initialization, whose key is checked elsewhere.
 */
export function requireKey({
  authenticate,
  isWorkspaceSession,
  forwardedAccess,
}: RequireKeyOptions): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const { raw, method, path } = context.req;
    const access =
      (await forwardedAccess?.(raw)) ?? (await authenticate(raw, keyOf(context))) ?? isWorkspaceSession(context);
    if (!access && !isInitPath(path)) throw new HTTPException(401, { message: 'Unauthorized' });
    if (access) {
      context.env?.trust?.();
      context.set('access', access);
      if (!isInitPath(path)) checkScope(access, scopeOf(method, path));
    }
    await next();
  };
}

/** The stream of events, whose clients in browsers can send no header. */
const stream = /^\/api\/conversations\/[^/]+\/events\/stream\/?$/;

/** Clients of the protocol of OpenAI, and Prometheus, send the key as a bearer token. */
function keyOf({ req }: Context<ServerEnv>): string | undefined {
  if (stream.test(req.path)) return req.header(keyHeader) ?? req.query('session_api_key');
  const bearer = /^\/(?:v1|metrics)(?:\/|$)/.test(req.path)
    ? /^bearer +(\S+)$/i.exec(req.header('authorization') ?? '')
    : undefined;
  return req.header(keyHeader) ?? bearer?.[1];
}

/** Rejects requests of addresses that sent many wrong keys, and counts wrong keys. */
export function limitFailedKeys(failed: WindowCounts): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    // A request made in this process has no connection.
    const address = context.env?.sender;
    const waitMs = failed.waitOf(address);
    if (waitMs > 0) {
      return errorResponse(429, 'Too many wrong keys.', { 'retry-after': String(Math.ceil(waitMs / 1000)) });
    }
    await next();
    const { req } = context;
    const sent = [keyOf(context), req.query('session_api_key'), req.header(initKeyHeader), req.header('authorization')];
    const hasKey = !context.get('access') && sent.some((key) => key !== undefined);
    if (hasKey && (context.res.status === 401 || context.res.status === 403)) failed.add(address);
    return undefined;
  };
}
