import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import { success, successful, type RouteDescription } from '../route/route-config.ts';
import type { Services } from '../services.ts';

/** Parameters of a path of one conversation. */
export const conversationParams = lazy(() => z.object({ conversation_id: conversationId() }));

/** Errors of routes that use a conversation. */
export const conversationErrors = { 404: 'The conversation does not exist, or another process holds it.' };

/** Description of an action, and what it does. */
export interface ConversationAction<Body extends z.ZodType> extends Pick<
  RouteDescription,
  'tag' | 'summary' | 'errors'
> {
  readonly body?: () => Body;
  readonly act: (input: { readonly id: string; readonly body: z.output<Body> }, services: Services) => Promise<unknown>;
}

/** Defines the route that applies an action to a conversation; `path` is relative to the conversation. */
export function conversationAction<Body extends z.ZodType = z.ZodUndefined>(
  path: `/${string}`,
  { act, errors, ...described }: ConversationAction<Body>,
): Route {
  return defineRoute<ReturnType<typeof conversationParams>, z.ZodObject, Body>({
    ...described,
    method: 'post',
    path: `/api/conversations/{conversation_id}${path}`,
    params: conversationParams,
    response: success,
    errors: { ...conversationErrors, ...errors },
    async handle({ params: { conversation_id: id }, body }, services) {
      await act({ id, body }, services);
      return successful();
    },
  });
}
