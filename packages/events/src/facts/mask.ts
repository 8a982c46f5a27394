import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/** Replacement of observations, or of images alone, by `text` in the view of the model. The log keeps them whole. */
export const maskFact = defineFact('varve.mask', () =>
  z.strictObject({
    event_ids: z.array(z.string()),
    text: z.string(),
    /** Replaces the images of messages and observations, and nothing else. */
    only: z.exactOptional(z.literal('images')),
    /** Error of the provider that refused a request with the masked content. */
    refusal: z.exactOptional(z.string()),
  }),
);
