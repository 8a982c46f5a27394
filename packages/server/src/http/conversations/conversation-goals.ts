import { z } from '@hono/zod-openapi';
import { RequestError } from '../../error.ts';
import { tagged } from '../route/define-route.ts';
import { conversationAction } from './conversation-action.ts';

/** Routes of the loop that pursues an objective. */
export const conversationGoalRoutes = tagged('Conversations', [
  conversationAction('/goal', {
    summary: 'Pursue an objective in the background, until a judge accepts the work.',
    body: () =>
      z.object({ objective: z.string(), max_iterations: z.int().gte(1).default(10) }).openapi('StartGoalRequest'),
    errors: { 400: 'The objective is empty.', 409: 'A run is active.' },
    async act({ id, body: { objective, max_iterations } }, { conversations }) {
      if (objective.trim() === '') throw new RequestError('unsupported', 'Goal objective must not be empty.');
      await conversations.use(id, (live) => live.hosted.goal.start(objective, max_iterations));
    },
  }),
  conversationAction('/goal/stop', {
    summary: 'Stop the loop after the active run.',
    act: ({ id }, { conversations }) => conversations.use(id, (live) => live.hosted.goal.stop()),
  }),
  conversationAction('/goal/resume', {
    summary: 'Continue an interrupted goal in the background.',
    errors: { 400: 'There is no interrupted goal.', 409: 'A run is active.' },
    act: ({ id }, { conversations }) => conversations.use(id, (live) => live.hosted.goal.resume()),
  }),
]);
