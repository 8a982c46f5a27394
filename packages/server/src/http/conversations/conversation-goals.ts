import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { conversationId } from '../../reference/info/conversation-id.ts';
import { RequestError } from '../../error.ts';
import { defineRoute } from '../route/define-route.ts';
import type { Route } from '../route/route.ts';
import { success, successful } from '../route/route-config.ts';

const tag = 'Conversations';
const params = lazy(() => z.object({ conversation_id: conversationId() }));
const errors = { 404: 'The conversation does not exist, or another process holds it.' };

/** Routes of the loop that pursues an objective. */
export const conversationGoalRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/goal',
    tag,
    summary: 'Pursue an objective in the background, until a judge accepts the work.',
    params,
    body: () =>
      z.object({ objective: z.string(), max_iterations: z.int().gte(1).default(10) }).openapi('StartGoalRequest'),
    response: success,
    errors: { ...errors, 400: 'The objective is empty.', 409: 'A run is active.' },
    async handle({ params: { conversation_id: id }, body: { objective, max_iterations } }, { conversations }) {
      if (objective.trim() === '') throw new RequestError('unsupported', 'Goal objective must not be empty.');
      await conversations.use(id, (live) => live.hosted.goal.start(objective, max_iterations));
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/goal/stop',
    tag,
    summary: 'Stop the loop after the active run.',
    params,
    response: success,
    errors,
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, (live) => live.hosted.goal.stop());
      return successful();
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/conversations/{conversation_id}/goal/resume',
    tag,
    summary: 'Continue an interrupted goal in the background.',
    params,
    response: success,
    errors: { ...errors, 400: 'There is no interrupted goal.', 409: 'A run is active.' },
    async handle({ params: { conversation_id: id } }, { conversations }) {
      await conversations.use(id, (live) => live.hosted.goal.resume());
      return successful();
    },
  }),
];
