import { z } from 'zod';
import { withNeutral } from '../lenient.ts';

/** What a person can do about a failure. Here `kind` is an ordinary field, not a discriminator. */
export const errorClassification = z.strictObject({
  kind: withNeutral(
    z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
    'unknown',
  ),
  retryable: z.boolean(),
  user_action: withNeutral(z.enum(['none', 'retry', 'settings']), 'none').default('none'),
  error_id: z.exactOptional(z.string()),
});
export type ErrorClassification = z.output<typeof errorClassification>;
