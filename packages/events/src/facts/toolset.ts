import { z } from 'zod';
import { defineFact } from './define-fact.ts';

/** One tool list as models were offered it, stored once per log and named by its digest in `varve.call`. */
export const toolsetFact = defineFact(
  'varve.toolset',
  z.strictObject({
    digest: z.string(),
    tools: z.array(
      z.strictObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
    ),
  }),
);
