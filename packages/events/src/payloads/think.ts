import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Records a thought, without any effect. */
export const ThinkAction = defineAction('ThinkAction', () => ({
  thought: z.string().describe('The thought to record.'),
}));

/** Fixed acknowledgement. */
export const ThinkObservation = defineObservation('ThinkObservation', () => ({}));
