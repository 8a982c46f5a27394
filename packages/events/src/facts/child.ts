import * as z from 'zod';
import { tokenUsage } from '../token-usage.ts';
import { defineFact } from './define-fact.ts';

/**
 * Total usage of a child conversation, its own children included. A later fact of the same child replaces an earlier
 * one. The first is stored before the child starts.
 */
export const childFact = defineFact('varve.child', () =>
  z.strictObject({
    conversation_id: z.string(),
    /** Replies of models. */
    calls: z.number().int().nonnegative(),
    /** Replies with unknown price, which `cost_usd` does not include. */
    unpriced_calls: z.number().int().nonnegative(),
    cost_usd: z.number().nonnegative(),
    latency_ms: z.number().nonnegative(),
    usage: tokenUsage(),
    /** UTC milliseconds of these totals. */
    at: z.number().int(),
    /** Set if a fork copied this fact: its cost counts in the original conversation. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
