import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * A run began or ended, at `at` in UTC milliseconds. A run that has begun and not ended was cut off; what lies between two
 * runs is time in which nobody worked.
 */
export const runFact = defineFact(
  'varve.run',
  z.strictObject({
    state: z.enum(['begun', 'ended']),
    at: z.number().int(),
    /** Set when a fork copied this fact: it was somebody else's time. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
