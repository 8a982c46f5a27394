import { z } from 'zod';

/** What a critic thinks of a reply: from 0 to 1, and from 0.5 on a success. */
export const criticResult = z.strictObject({
  score: z.number(),
  message: z.exactOptional(z.string()),
  metadata: z.exactOptional(z.record(z.string(), z.unknown())),
});
