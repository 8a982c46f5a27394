import { z } from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Load a skill into the conversation. */
export const InvokeSkillAction = defineAction('InvokeSkillAction', {
  name: z.string().describe('The name of the skill, as it is listed.'),
});

/** The skill, rendered as content. */
export const InvokeSkillObservation = defineObservation('InvokeSkillObservation', { skill_name: z.string() });
