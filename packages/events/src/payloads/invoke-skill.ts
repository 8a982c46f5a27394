import * as z from 'zod';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Loads a skill into the conversation. */
export const InvokeSkillAction = defineAction('InvokeSkillAction', () => ({
  name: z.string().describe('The name of the skill, as it is listed.'),
}));

/** Content of a loaded skill. */
export const InvokeSkillObservation = defineObservation('InvokeSkillObservation', () => ({ skill_name: z.string() }));
