import type { MiddlewareHandler } from 'hono';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { canonicalId } from '@varve/storage';
import { isConversationId } from '../reference/info/conversation-id.ts';
import type { ServerEnv } from './route/route.ts';
import type { Webhooks } from '../streams/webhooks/webhooks.ts';

/** Operations that change what the info of a conversation contains. */
const changing = new Set(['PATCH ', 'POST pause', 'POST interrupt']);
const created = lazy(() => z.object({ id: z.string() }));

/**
 * Sends the info of a conversation after requests that create, change, pause or interrupt it, and before those that
 * remove it.
 *
 * @see agent-server 1.43.1 webhooks
 */
export function notifyWebhooks(webhooks: Webhooks): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const { method, path } = context.req;
    const [name = '', operation = ''] = path.split('/').slice(3);
    const id = canonicalId(name);
    const isKnown = isConversationId(name);
    const isRemoved = isKnown && method === 'DELETE' && operation === '';
    if (isRemoved) await webhooks.notify(id, 'deleting');
    await next();
    if (isKnown && changing.has(`${method} ${operation}`)) await webhooks.notify(id);
    if (name !== '' || method !== 'POST' || context.res.status !== 201) return;
    const { data } = created().safeParse(await context.res.clone().json());
    if (data) await webhooks.notify(canonicalId(data.id));
  };
}
