import * as z from 'zod';
import { defineFact } from './define-fact.ts';
import { fileChange } from './files.ts';

/**
 * Start of a return of files to what they were after an earlier event. Stored before the first file is written, with
 * all changes that are to be made; their contents are in the log. A `varve.files` with its id follows the last one.
 */
export const rewindFact = defineFact('varve.rewind', () =>
  z.strictObject({
    /** Number of events of the log after which the files were so. */
    head: z.number().int().nonnegative(),
    changes: z.array(fileChange()),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
