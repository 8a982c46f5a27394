import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

const delegation = lazy(() => z.enum(['spawn', 'delegate']));

/** Creates sub-agents, or delegates tasks to them. Occurs in old conversations only. */
export const DelegateAction = defineAction('DelegateAction', () => ({
  command: delegation().describe('spawn creates sub-agents; delegate assigns tasks to them and waits.'),
  ids: z.exactOptional(z.array(z.string())).describe('For spawn: the ids of the sub-agents to create.'),
  agent_types: z.exactOptional(z.array(z.string())).describe('For spawn: the kind of each, in the order of the ids.'),
  tasks: z.exactOptional(z.record(z.string(), z.string())).describe('For delegate: the task of each, by id.'),
}));

/** Result of a delegation. */
export const DelegateObservation = defineObservation('DelegateObservation', () => ({ command: delegation() }));
