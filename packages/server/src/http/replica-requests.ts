import { canonicalId, StorageError } from '@varve/storage';
import type { MiddlewareHandler } from 'hono';
import { isConversationId } from '../reference/info/conversation-id.ts';
import { forwardedHeader } from '../replicas/peer-signature.ts';
import { replicaHeader } from '../replicas/peers.ts';
import type { Replica } from '../replicas/replica.ts';
import { errorResponse } from './route/handle-failure.ts';
import { accessOf, type ServerEnv } from './route/route.ts';
import { conversationHeader } from './system/gateway-messages.ts';

/** Methods that only read: every replica answers them from the log. */
const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Replaces the request by a real `Request`, from which a limit of the body makes another one. */
export const copiedRequest: MiddlewareHandler<ServerEnv> = async (context, next) => {
  const { url, method, headers, body, signal } = context.req.raw;
  context.req.raw = new Request(url, { method, headers, body, signal, duplex: 'half' });
  await next();
};

/** Forwards requests that need an open conversation to the replica that holds it. */
export function forwardHeld(replica: Replica): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const { raw, method } = context.req;
    const { path } = context.req;
    const name = (path.startsWith('/v1/') ? raw.headers.get(conversationHeader) : path.split('/')[3]) ?? '';
    if (!isConversationId(name) || raw.headers.has(forwardedHeader)) return next();
    const id = canonicalId(name);
    const access = accessOf(context);
    const response = reads.has(method) ? undefined : await replica.forward(id, raw, access);
    if (response) return response;
    const copy = raw.clone();
    await next();
    // Another replica may have opened it since, and closed it again.
    if (!(context.error instanceof StorageError) || context.error.code !== 'held') return;
    context.res = (await replica.forward(id, copy, access)) ?? (await replica.repeat(copy, access));
  };
}

/** Names the replica that answers. */
export function replicaId({ id }: Pick<Replica, 'id'>): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    await next();
    context.header(replicaHeader, id);
  };
}

/** Paths whose requests change no shared settings. */
const otherPaths = /^\/(?:api\/(?:conversations|bash|file|git|init)|v1)(?:\/|$)/;

/** The first list of agent profiles adds one. */
const changingRead = /^\/api\/agent-profiles\/?$/;

/** Reads the settings that other replicas shared before requests that use them, and shares those that one changes. */
export function shareSettings({ settings }: Pick<Replica, 'settings'>): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const { method, path } = context.req;
    const isRead = reads.has(method) && !changingRead.test(path);
    const isOther = otherPaths.test(path);
    if (!settings || (isRead && isOther)) return next();
    if (isRead || isOther) {
      await settings.pull();
      return next();
    }
    if (await settings.change(next)) return;
    context.res = errorResponse(409, 'Another replica changed the settings at the same time.');
  };
}
