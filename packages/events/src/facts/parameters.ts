import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/** Request parameters except messages and tools, stored once per log and referenced by digest in `varve.call`. */
export const parametersFact = defineFact('varve.parameters', () =>
  z.strictObject({ digest: z.string(), parameters: z.record(z.string(), z.unknown()) }),
);
