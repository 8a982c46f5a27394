import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Control over the run by a call that succeeded: a transfer to another agent, the end of a loop, or a result that is
 * the answer. Stored with the result of the call. No text of a result has control.
 */
export const controlFact = defineFact('varve.control', () =>
  z.strictObject({
    action_id: z.string(),
    control: z.enum(['transfer', 'escalate', 'answer']),
    /** Name of the agent to which control is transferred. */
    agent: z.exactOptional(z.string()),
    /** Empty for an answer. */
    reason: z.string(),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
