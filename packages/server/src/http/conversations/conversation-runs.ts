import { z } from '@hono/zod-openapi';
import type { Decision } from '@varve/host';
import { RequestError } from '../../error.ts';
import { defineRoute, tagged } from '../route/define-route.ts';
import { conversationAction, conversationErrors, conversationParams } from './conversation-action.ts';
import { finalResponse } from './final-response.ts';

/** Routes that start and stop runs, and decide about calls that wait. */
export const conversationRunRoutes = tagged('Conversations', [
  conversationAction('/events/respond_to_confirmation', {
    tag: 'Events',
    summary: 'Approve or reject the calls that wait.',
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
          arguments: z
            .record(z.string(), z.unknown())
            .nullish()
            .describe(
              'Arguments that run in place of those of the one action of `action_ids`, whose result is a rejection.',
            ),
        })
        .openapi('ConfirmationResponseRequest'),
    errors: {
      400: 'The tool does not accept `arguments`, or they are not for one accepted action of `action_ids`.',
      409: 'An action of `action_ids` does not wait.',
    },
    async act({ id, body: { accept, reason, action_ids, arguments: changed } }, { conversations }) {
      if (changed && !(accept && action_ids)) {
        throw new RequestError('unsupported', 'Changed arguments are for one accepted action of action_ids.');
      }
      const actionIds = action_ids ?? undefined;
      const ifWaiting = actionIds ? undefined : true;
      const decision: Decision = {
        actionIds,
        ifWaiting,
        arguments: changed ?? undefined,
        ...(!accept && { reject: reason }),
      };
      await conversations.use(id, ({ hosted }) => hosted.decide(decision, { run: accept }));
    },
  }),
  conversationAction('/events/complete_call', {
    tag: 'Events',
    summary: 'Store the result of a call that completes later; one that has a result keeps it.',
    body: () => z.object({ action_id: z.string(), result: z.string() }).openapi('CompleteCallRequest'),
    errors: { 400: 'There is no such call, or the result is blank.' },
    act: ({ id, body: { action_id: actionId, result } }, { conversations }) =>
      conversations.use(id, ({ hosted }) => hosted.complete(actionId, result)),
  }),
  conversationAction('/run', {
    summary: 'Start a run in the background.',
    errors: { 400: 'There is no message yet.', 409: 'A run is active.' },
    act: ({ id }, { conversations }) => conversations.use(id, (live) => live.hosted.runs.approveAndStart()),
  }),
  conversationAction('/pause', {
    summary: 'Pause after the current step.',
    act: ({ id }, { conversations }) => conversations.use(id, (live) => live.hosted.runs.pause()),
  }),
  conversationAction('/interrupt', {
    summary: 'Cancel the model call and the tools, and pause.',
    act: ({ id }, { conversations }) => conversations.use(id, (live) => live.hosted.runs.interrupt()),
  }),
  defineRoute({
    method: 'get',
    path: '/api/conversations/{conversation_id}/agent_final_response',
    summary: 'Get the last answer of the agent, or an empty text.',
    params: conversationParams,
    response: () => z.object({ response: z.string() }).openapi('AgentResponseResult'),
    errors: conversationErrors,
    async handle({ params: { conversation_id: id } }, { store, folds }) {
      const { leafId } = await folds.of(await store.summary(id));
      return Response.json({ response: await finalResponse(await store.read(id), leafId) });
    },
  }),
]);
