import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { type Access, allows, type Scope, visibleSummary } from '../../access.ts';
import { conversationId } from '../../reference/info/conversation-id.ts';
import type { ServerOptions } from '../../server-options.ts';
import { errorResponse } from '../route/handle-failure.ts';
import { accessOf, type ServerEnv } from '../route/route.ts';
import type { Services } from '../services.ts';
import { windowCounts } from './failed-keys.ts';

/** Routes of conversations, and those that describe models and tools. Every other one is of the whole server. */
const shared = new RegExp(
  String.raw`^/(?:api/conversations(?!/prepare-for-sandbox-pause)|api/file/download-trajectory|v1|sockets/events)(?:/|$)|` +
    String.raw`^/api/(?:tools|llm/(?:providers|models|models/verified)|auth/workspace-session)/?$`,
);

/** Requests with a body that only read: a session for files repeats the rights of its key. */
const reading = /^\/api\/auth\/workspace-session\/?$/;

/** Returns the right that a request needs. */
export function scopeOf(method: string, path: string): Scope {
  if (!shared.test(path)) return 'admin';
  return method === 'GET' || method === 'HEAD' || reading.test(path) ? 'read' : 'run';
}

/** @throws {HTTPException} 403 for a sender without the right. */
export function checkScope(access: Access, scope: Scope): void {
  if (!allows(access, scope)) throw new HTTPException(403, { message: `The key has no scope ${scope}.` });
}

/**
 * Counts a request or message of an owner, and returns the milliseconds until the next one is accepted; 0 if this one
 * is. Senders without an owner are not limited.
 */
export type RequestCount = (access: Access) => number;

/** Creates the count of requests of a server. */
export function requestCount({ maxRequestsByOwner: most = Infinity, now = Date.now }: RequestLimits): RequestCount {
  const counts = windowCounts({ now, most });
  return ({ owner }) => {
    const waitMs = counts.waitOf(owner);
    if (waitMs === 0) counts.add(owner);
    return waitMs;
  };
}

type RequestLimits = Pick<ServerOptions, 'maxRequestsByOwner' | 'now'>;

/** Rejects requests of owners that have sent too many. */
export function limitRequests(count: RequestCount): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const access = context.get('access');
    const waitMs = access ? count(access) : 0;
    if (waitMs === 0) return next();
    return errorResponse(429, tooMany, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
  };
}

/** Detail of a refusal. */
export const tooMany = 'The owner of the key has sent too many requests within a minute.';

/** Rejects requests for conversations that the sender does not see, as those for unknown ones. */
export function hideOthers({ store }: Pick<Services, 'store'>): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const access = accessOf(context);
    const id = conversationId().safeParse(context.req.param('conversation_id')).data;
    // One answer for both, whatever the route would answer.
    if (id !== undefined && !allows(access, 'admin')) await visibleSummary(store, id, access);
    await next();
  };
}
