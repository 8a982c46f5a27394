import * as z from 'zod';
import { lazy } from '../lazy.ts';

/** Rating of a reply by a critic: 0 to 1, a success from 0.5. */
export const criticResult = lazy(() =>
  z.strictObject({
    score: z.number(),
    message: z.exactOptional(z.string()),
    metadata: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
);
