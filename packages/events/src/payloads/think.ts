import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Note a thought; nothing happens. */
export const ThinkAction = defineAction('ThinkAction', { thought: z.string().describe('The thought to note down.') });

/** A fixed acknowledgement. */
export const ThinkObservation = defineObservation('ThinkObservation', {});
