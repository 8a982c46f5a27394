import { z } from 'zod';
import { text } from '../content.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Let a sub-agent do a task, and wait for its answer. */
export const TaskAction = defineAction('TaskAction', {
  description: z.exactOptional(z.string()).describe('The task in three to five words.'),
  prompt: z.string().describe('What the sub-agent is to do, with all it needs to know.'),
  subagent_type: z.string().default('general-purpose').describe('The kind of sub-agent.'),
  resume: z.exactOptional(z.string()).describe('The id of an earlier task to go on with.'),
});

/** How a task ended: `completed` or `error`. The model reads its id too, to go on with it. */
export const TaskObservation = defineObservation(
  'TaskObservation',
  { task_id: z.string(), subagent: z.string(), status: z.string() },
  ({ content, task_id, subagent, status }) => [
    text(`[task: ${String(task_id)}, sub-agent: ${String(subagent)}, status: ${String(status)}]`),
    ...content,
  ],
);

const delegation = z.enum(['spawn', 'delegate']);

/** Old conversations: make sub-agents, or give them tasks. */
export const DelegateAction = defineAction('DelegateAction', {
  command: delegation.describe('spawn makes sub-agents; delegate gives them tasks and waits.'),
  ids: z.exactOptional(z.array(z.string())).describe('For spawn: the ids of the sub-agents to make.'),
  agent_types: z.exactOptional(z.array(z.string())).describe('For spawn: the kind of each, in the order of the ids.'),
  tasks: z.exactOptional(z.record(z.string(), z.string())).describe('For delegate: the task of each, by id.'),
});

/** What delegation gave. */
export const DelegateObservation = defineObservation('DelegateObservation', { command: delegation });

/** Run a script that lets many sub-agents work. */
export const WorkflowAction = defineAction('WorkflowAction', {
  name: z.string().describe('What the workflow is called.'),
  script: z.string().describe('The script.'),
  max_concurrency: z.number().int().min(1).max(64).default(8).describe('How many sub-agents may work at once.'),
});

/** How a workflow ended. */
export const WorkflowObservation = defineObservation('WorkflowObservation', {
  name: z.string(),
  status: z.enum(['completed', 'error']),
});
