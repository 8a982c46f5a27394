import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/** A call with side effects is about to start. Durable before it does: after a crash, its outcome is unknown. */
export const effectFact = defineFact(
  'varve.effect',
  z.strictObject({
    action_id: z.string(),
    /** The same for every attempt at this action; tools may pass it on to services that deduplicate. */
    idempotency_key: z.string(),
    at: z.number().int(),
  }),
);
