import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Ends the task; `message` is the final answer. */
export const FinishAction = defineAction('FinishAction', () => ({
  message: z.string().describe('The final message to the user: what was done and what was not.'),
}));

/** Repeats the final message. */
export const FinishObservation = defineObservation('FinishObservation', () => ({}));
