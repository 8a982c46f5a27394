import * as z from 'zod';
import { lazy } from './lazy.ts';

/** Token counts of one model call. `input_tokens` counts all prompt tokens, including cached ones. */
export const tokenUsage = lazy(() =>
  z.strictObject({
    input_tokens: z.number().int().nonnegative(),
    output_tokens: z.number().int().nonnegative(),
    cache_read_tokens: z.number().int().nonnegative().default(0),
    cache_write_tokens: z.number().int().nonnegative().default(0),
    reasoning_tokens: z.number().int().nonnegative().default(0),
  }),
);
export type TokenUsage = Readonly<z.output<ReturnType<typeof tokenUsage>>>;
