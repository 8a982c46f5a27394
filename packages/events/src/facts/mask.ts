import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/** Replacement of observations by `text` in the view of the model. The log keeps them whole. */
export const maskFact = defineFact('varve.mask', () =>
  z.strictObject({ event_ids: z.array(z.string()), text: z.string() }),
);
