import { z } from 'zod';
import { tokenUsage } from '../token-usage.ts';
import { defineFact } from './define-fact.ts';

/**
 * What another conversation has used on behalf of this one, all in all, with what was used on behalf of that one. A later
 * fact of the same conversation takes the place of an earlier one. The first is there before the other conversation begins.
 */
export const childFact = defineFact(
  'varve.child',
  z.strictObject({
    conversation_id: z.string(),
    /** Replies of models. */
    calls: z.number().int().nonnegative(),
    /** Those of them whose price is unknown: `cost_usd` leaves them out. */
    unpriced_calls: z.number().int().nonnegative(),
    cost_usd: z.number().nonnegative(),
    latency_ms: z.number().nonnegative(),
    usage: tokenUsage,
    /** UTC milliseconds when this was so. */
    at: z.number().int(),
    /** Set when a fork copied this fact: it was paid for elsewhere. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
