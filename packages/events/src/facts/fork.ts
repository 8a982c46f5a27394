import * as z from 'zod';
import { defineFact } from './define-fact.ts';
import { settingsFact } from './settings.ts';

/**
 * First event of a fork: the events that follow are copied from another conversation, and the settings among them do
 * not apply. Until a `varve.fork_end` names it, the fork is unfinished, and opening it completes it.
 */
export const forkFact = defineFact('varve.fork', () =>
  z.strictObject({
    /** Id of the origin. */
    of: z.string(),
    /** Number of events that are copied. */
    events: z.number().int().nonnegative(),
    /** Last event of the fork's branch; absent for the position before every event. */
    leaf: z.exactOptional(z.string()),
    /** Settings of the fork. */
    settings: settingsFact.schema,
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);

/** Last event of the creation of a fork: everything was copied, and the calls that were open there are answered. */
export const forkEndFact = defineFact('varve.fork_end', () =>
  z.strictObject({
    /** Id of the event that began the fork. Copies of this fact name another event. */
    fork: z.string(),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
