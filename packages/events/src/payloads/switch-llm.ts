import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Switches to another model from the next request on. */
export const SwitchLLMAction = defineAction('SwitchLLMAction', () => ({
  profile_name: z.string().describe('The name of the model profile to use from now on.'),
  reason: z.string().describe('Why this profile suits the next steps.'),
}));

/** Model of the following requests. */
export const SwitchLLMObservation = defineObservation('SwitchLLMObservation', () => ({
  profile_name: z.string(),
  reason: z.exactOptional(z.string()),
  active_model: z.exactOptional(z.string()),
}));
