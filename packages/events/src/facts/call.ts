import * as z from 'zod';
import { tokenUsage } from '../token-usage.ts';
import { defineFact } from './define-fact.ts';

/**
 * Reply of a model: the events that were created from it, its cost, and digests of the request. Appended before its
 * actions and in the same append. For an action that no call fact lists, the log does not prove that it was not
 * started.
 */
export const callFact = defineFact('varve.call', () =>
  z.strictObject({
    response_id: z.string(),
    /** Ids of the action events of this reply, in call order. */
    actions: z.array(z.string()),
    /** Id of the message event of a reply without calls. */
    message_id: z.exactOptional(z.string()),
    /** Role of the model in the agent: `agent`, `condenser`, … */
    usage_id: z.string(),
    model: z.string(),
    finish: z.string(),
    usage: z.exactOptional(tokenUsage()),
    /** Absent when the price is unknown; never guessed. */
    cost_usd: z.exactOptional(z.number().nonnegative()),
    latency_ms: z.number().nonnegative(),
    /** Hex SHA-256 of the request before any adapter changes it. */
    digests: z.strictObject({ messages: z.string(), tools: z.string(), parameters: z.string() }),
    /** Versions of the projections that built the request, by name. */
    projections: z.record(z.string(), z.number().int()),
    /** UTC milliseconds when the reply was complete. */
    at: z.number().int(),
    /** Set if a fork copied this fact: its cost counts in the original conversation. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
export type Call = NonNullable<ReturnType<typeof callFact.read>>;
