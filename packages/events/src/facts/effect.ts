import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Start of a call with side effects. Durable before the call starts: after a crash, the outcome is unknown. A second
 * one for the same call records that a person let it run again outside of its sandbox.
 */
export const effectFact = defineFact('varve.effect', () =>
  z.strictObject({
    action_id: z.string(),
    /** Equal for every attempt at this action. Tools may forward it to services that deduplicate. */
    idempotency_key: z.string(),
    at: z.number().int(),
    /** Profile of the sandbox in which the programs of the call run, `off` outside of it; absent without a sandbox. */
    sandbox: z.exactOptional(z.string()),
  }),
);
