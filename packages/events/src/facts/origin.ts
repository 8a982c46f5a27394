import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * What the records of another system contain and the event read from them does not: an export in the same format writes
 * the event, applies the differences, and so returns the records as they were. It never affects a run.
 */
export const originFact = defineFact('varve.origin', () =>
  z.strictObject({
    /** Name of the format. */
    format: z.string(),
    /** Event that was read from the records; absent for records without an event. */
    event_id: z.exactOptional(z.string()),
    /** Values that the records contain at these paths instead; the first key is the index of the record. */
    changed: z.array(z.strictObject({ path: z.array(z.string()), value: z.unknown() })),
    /** Paths that the records lack. */
    removed: z.array(z.array(z.string())),
  }),
);
