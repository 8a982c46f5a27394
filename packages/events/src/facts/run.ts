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
    /** Place of a run of a child conversation in the run of its ancestors. */
    within: z.exactOptional(
      z.strictObject({
        /** Event that began the outermost run. */
        run: z.string(),
        /** Action of the parent that started it, or the event that began the parent's run. */
        event: z.string(),
        /** Name of the sub-agent; absent for a task of the application. */
        agent: z.exactOptional(z.string()),
      }),
    ),
    /** Set if a fork copied this fact: its time counts in the original conversation. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
