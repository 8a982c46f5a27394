import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Initialization } from '../deferred/initialization.ts';
import type { KeyCheck } from './key-check.ts';

/** The header that carries the key of the initialization. @see agent-server 1.43.1 init */
export const initKeyHeader = 'X-Init-API-Key';

/** Returns true for the path of the initialization, which has a key of its own. */
export function isInitPath(path: string): boolean {
  return /^\/api\/init\/?$/.test(path);
}

/** Accepts requests to configure the server that contain the key. Its state needs none. */
export function requireInitKey(isKey: KeyCheck): MiddlewareHandler {
  return async ({ req }, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead && !isKey(req.header(initKeyHeader) ?? '')) throw new HTTPException(401, { message: 'Unauthorized' });
    await next();
  };
}

/** Rejects requests while the server waits for its configuration, except those that configure it. */
export function requireInitialized(initialization: Initialization): MiddlewareHandler {
  return async ({ req }, next) => {
    if (initialization.status.state !== 'ready' && !isInitPath(req.path)) {
      throw new HTTPException(503, { message: 'The server waits for its configuration.' });
    }
    await next();
  };
}
