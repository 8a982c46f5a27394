import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/** What models were asked with besides messages and tools, stored once per log and named by its digest in `varve.call`. */
export const parametersFact = defineFact(
  'varve.parameters',
  z.strictObject({ digest: z.string(), parameters: z.record(z.string(), z.unknown()) }),
);
