import * as z from 'zod';
import { defineFact } from './define-fact.ts';

/** Tool list as offered to models, stored once per log and referenced by digest in `varve.call`. */
export const toolsetFact = defineFact('varve.toolset', () =>
  z.strictObject({
    digest: z.string(),
    tools: z.array(
      z.strictObject({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
    ),
  }),
);
