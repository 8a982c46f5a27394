import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Start or end of a run, at `at` in UTC milliseconds. A run without an end was cut off. The time between two runs is
 * not working time.
 */
export const runFact = defineFact('varve.run', () =>
  z.strictObject({
    state: z.enum(['begun', 'ended']),
    at: z.number().int(),
    /** Set if a fork copied this fact: its time counts in the original conversation. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
