import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Control over the run by a call that succeeded: a transfer to another agent, or the end of a loop. Stored with the
 * result of the call. No text of a result has control.
 */
export const controlFact = defineFact(
  'varve.control',
  z.strictObject({
    action_id: z.string(),
    control: z.enum(['transfer', 'escalate']),
    /** Name of the agent to which control is transferred. */
    agent: z.exactOptional(z.string()),
    reason: z.string(),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
