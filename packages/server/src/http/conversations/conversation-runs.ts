import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { Decision } from '@varve/host';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { finalResponse } from './final-response.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import { success, successful } from '../route/route-config.ts';

const tag = 'Conversations';
const params = lazy(() => z.object({ conversation_id: conversationId() }));
const errors = { 404: 'The conversation does not exist, or another process holds it.' };

/** Routes that start and stop runs, and decide about calls that wait. */
export const conversationRunRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/events/respond_to_confirmation',
    tag: 'Events',
    summary: 'Approve or reject the calls that wait.',
    params,
    body: () =>
      z
        .object({
          accept: z.boolean(),
          reason: z.string().default('User rejected the action.'),
          action_ids: z
            .array(z.string())
            .min(1)
            .nullish()
            .describe('Ids of the actions that the person saw; by default all that wait when the request arrives.'),
        })
        .openapi('ConfirmationResponseRequest'),
    response: success,
    errors: { ...errors, 409: 'An action of `action_ids` does not wait.' },
    async handle({ params: { conversation_id: id }, body }, { conversations }) {
      const { accept, reason } = body;
      const actionIds = body.action_ids ?? undefined;
      const ifWaiting = actionIds ? undefined : true;
      const decision: Decision = { actionIds, ifWaiting, ...(!accept && { reject: reason }) };
      await conversations.use(id, ({ hosted }) => hosted.decide(decision, { run: accept }));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/run',
    tag,
    summary: 'Start a run in the background.',
    params,
    response: success,
    errors: { ...errors, 400: 'There is no message yet.', 409: 'A run is active.' },
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, (live) => live.hosted.runs.start());
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/pause',
    tag,
    summary: 'Pause after the current step.',
    params,
    response: success,
    errors,
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, (live) => live.hosted.runs.pause());
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/interrupt',
    tag,
    summary: 'Cancel the model call and the tools, and pause.',
    params,
    response: success,
    errors,
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, (live) => live.hosted.runs.interrupt());
      return successful();
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/agent_final_response',
    tag,
    summary: 'Get the last answer of the agent, or an empty text.',
    params,
    response: () => z.object({ response: z.string() }).openapi('AgentResponseResult'),
    errors,
    async handle({ params: { conversation_id: id } }, { store, folds }) {
      const { leafId } = await folds.of(await store.summary(id));
      return Response.json({ response: await finalResponse(await store.read(id), leafId) });
    },
  }),
];
