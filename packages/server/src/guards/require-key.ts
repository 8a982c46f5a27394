import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ServerError } from '../error.ts';
import { errorResponse } from '../handle-failure.ts';
import type { ServerEnv } from '../server-env.ts';
import type { FailedKeys } from './failed-keys.ts';
import { initKeyHeader, isInitPath } from './require-init-key.ts';
import type { WorkspaceSessionCheck } from './workspace-session.ts';

/** The header that carries the key. @see agent-server 1.43.1 OpenAPI, securitySchemes.APIKeyHeader */
export const keyHeader = 'X-Session-API-Key';

/** Returns true for one of the keys of a server. Its duration does not depend on the keys. */
export type KeyCheck = (given: string) => boolean;

/** Parts of `requireKey`. */
export interface RequireKeyOptions {
  readonly isKey: KeyCheck;
  readonly isWorkspaceSession: WorkspaceSessionCheck;
}

/**
 * Accepts requests that contain a key in their header, requests of a session for files of a workspace, and those of the
 * initialization, whose key is checked elsewhere.
 */
export function requireKey({ isKey, isWorkspaceSession }: RequireKeyOptions): MiddlewareHandler {
  return async (context, next) => {
    const isAccepted = isKey(keyOf(context) ?? '') || isWorkspaceSession(context);
    if (!isAccepted && !isInitPath(context.req.path)) throw new HTTPException(401, { message: 'Unauthorized' });
    await next();
  };
}

/** Clients of the protocol of OpenAI send the key as a bearer token. */
function keyOf({ req }: Context): string | undefined {
  const bearer = req.path.startsWith('/v1/') ? /^bearer +(\S+)$/i.exec(req.header('authorization') ?? '') : undefined;
  return req.header(keyHeader) ?? bearer?.[1];
}

/** Rejects requests of addresses that sent many wrong keys, and counts wrong keys. */
export function limitFailedKeys(failed: FailedKeys): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    // A request made in this process has no connection.
    const address = context.env?.incoming?.socket.remoteAddress;
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
export function requireMetricsKey(isKey: KeyCheck): MiddlewareHandler {
  return async (context, next) => {
    const bearer = /^Bearer (.+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (!isKey(context.req.header(keyHeader) ?? bearer ?? ''))
      throw new HTTPException(401, { message: 'Unauthorized' });
    await next();
  };
}

/** @throws {ServerError} `invalid` if there is no key, or one that a header cannot contain. */
export function keyCheck(keys: readonly string[]): KeyCheck {
  if (keys.length === 0) throw new ServerError('invalid', 'A server needs at least one key.');
  if (!keys.every((key) => /^[\x21-\x7E]+$/.test(key))) {
    throw new ServerError('invalid', 'A key is empty or holds a character that no HTTP header can carry.');
  }
  const known = keys.map(digest);
  return (given) => {
    const seen = digest(given);
    return known.filter((key) => timingSafeEqual(key, seen)).length > 0;
  };
}

/** Returns a digest of constant length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
