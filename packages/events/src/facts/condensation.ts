import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Attempt to shorten the view of the model: what it removed and saved, or why it failed. Follows the facts of the
 * condenser's model calls and precedes its masks and its condensation in the same append. Tokens are estimates for the
 * whole request.
 */
export const condensationFact = defineFact('varve.condensation', () =>
  z.strictObject({
    /** Kind of the condenser; `hard-reset` when everything but the beginning and the end was cut. */
    condenser: z.string(),
    /** `check`: a limit of the condenser was exceeded. `demand`: a person or a full context required it. */
    reason: z.enum(['check', 'demand']),
    /** Id of the condensation event; absent when nothing was forgotten. */
    condensation_id: z.exactOptional(z.string()),
    tokens_before: z.number().int().nonnegative(),
    /** Absent after a failure. */
    tokens_after: z.exactOptional(z.number().int().nonnegative()),
    /** Number of forgotten events by kind. */
    forgotten: z.exactOptional(z.record(z.string(), z.number().int())),
    /** Number of masked observations. */
    masked: z.exactOptional(z.number().int()),
    /** Reason of a failure; with `tokens_after`, the reason why no model wrote the summary. */
    problem: z.exactOptional(z.string()),
    /** What a person asked the summary to preserve. */
    focus: z.exactOptional(z.string()),
    /** Correction factor of the estimates, as the usage of the last reply showed it. */
    scale: z.number().positive(),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
