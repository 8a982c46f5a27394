import { z } from 'zod';

/** What a person can do about a failure. Here `kind` is an ordinary field, not a discriminator. */
export const errorClassification = z.strictObject({
  kind: z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
  retryable: z.boolean(),
  user_action: z.enum(['none', 'retry', 'settings']).default('none'),
  error_id: z.exactOptional(z.string()),
});
export type ErrorClassification = z.output<typeof errorClassification>;
