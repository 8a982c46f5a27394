import { z } from 'zod';
import { tokenUsage } from '../token-usage.ts';
import { defineFact } from './define-fact.ts';

/**
 * One reply of a model: which events it led to, what it cost, and digests of what was asked. It is appended before its
 * actions and in the same append, so an action that no call lists was never proved to be unstarted.
 */
export const callFact = defineFact(
  'varve.call',
  z.strictObject({
    response_id: z.string(),
    /** Ids of the action events of this reply, in call order. */
    actions: z.array(z.string()),
    /** Id of the message event of a reply without calls. */
    message_id: z.exactOptional(z.string()),
    /** Which model of the agent answered: `agent`, `condenser`, … */
    usage_id: z.string(),
    model: z.string(),
    finish: z.string(),
    usage: z.exactOptional(tokenUsage),
    /** Absent when the price is unknown; never guessed. */
    cost_usd: z.exactOptional(z.number().nonnegative()),
    latency_ms: z.number().nonnegative(),
    /** Hex SHA-256 of the request as it stood above every adapter. */
    digests: z.strictObject({ messages: z.string(), tools: z.string(), parameters: z.string() }),
    /** Name to version of the projections that made the request. */
    projections: z.record(z.string(), z.number().int()),
    /** UTC milliseconds when the reply was complete. */
    at: z.number().int(),
    /** Set when a fork copied this fact: it was paid for elsewhere. */
    inherited: z.exactOptional(z.boolean()),
  }),
);
export type Call = NonNullable<ReturnType<typeof callFact.read>>;
