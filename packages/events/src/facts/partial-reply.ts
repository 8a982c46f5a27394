import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Beginning of a reply that was never completed: of a call that was interrupted or failed. For people to read: it is
 * part of no request. What may be the start of a secret at its end is left out.
 */
export const partialReplyFact = defineFact('varve.partial_reply', () =>
  z.strictObject({
    model: z.string(),
    /** Error code of the call: `aborted` for an interrupt. */
    finish: z.string(),
    text: z.string(),
    /** Readable reasoning; absent without one. */
    reasoning: z.exactOptional(z.string()),
    /** UTC milliseconds when the call ended. */
    at: z.number().int(),
  }),
);
