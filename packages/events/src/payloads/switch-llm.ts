import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Let another model go on from the next request. */
export const SwitchLLMAction = defineAction('SwitchLLMAction', {
  profile_name: z.string().describe('The name of the model profile to use from now on.'),
  reason: z.string().describe('Why this profile suits what comes next.'),
});

/** Which model answers from now on. */
export const SwitchLLMObservation = defineObservation('SwitchLLMObservation', {
  profile_name: z.string(),
  reason: z.exactOptional(z.string()),
  active_model: z.exactOptional(z.string()),
});
