import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/**
 * Boundary between imported events and those of this store. The events before it are history: their settings, policies
 * and approvals do not apply, and none of their calls runs. The last boundary of a log counts.
 */
export const importFact = defineFact('varve.import', () =>
  z.strictObject({
    /** Number of imported events. */
    events: z.number().int().nonnegative(),
    /** Last seal of the imported events, if they were sealed. */
    seal: z.exactOptional(z.string()),
    /** UTC milliseconds. */
    at: z.number().int(),
  }),
);
