import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Task of a sub-agent, and its conversation. Stored before that conversation starts; a later fact with the same
 * `task_id` replaces an earlier one.
 */
export const taskFact = defineFact('varve.task', () =>
  z.strictObject({
    /** Name by which the task is resumed. */
    task_id: z.string(),
    conversation_id: z.string(),
    /** Name of the sub-agent. */
    sub_agent: z.string(),
    /** Action that started it; absent for a task of the application. */
    action_id: z.exactOptional(z.string()),
    description: z.exactOptional(z.string()),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
