import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/** The model sees these observations shortened to `text` from here on; the log keeps them whole. */
export const maskFact = defineFact('varve.mask', z.strictObject({ event_ids: z.array(z.string()), text: z.string() }));
