import * as z from 'zod';
import { text } from '../content.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Runs a task in a sub-agent and waits for its answer. */
export const TaskAction = defineAction('TaskAction', () => ({
  description: z.exactOptional(z.string()).describe('The task in three to five words.'),
  prompt: z.string().describe('The task of the sub-agent, with all information that it needs.'),
  subagent_type: z.string().default('general-purpose').describe('The kind of sub-agent.'),
  resume: z.exactOptional(z.string()).describe('The id of an earlier task to resume.'),
}));

/** Outcome of a task: `completed` or `error`. The model also reads its id, so that it can resume the task. */
export const TaskObservation = defineObservation(
  'TaskObservation',
  () => ({ task_id: z.string(), subagent: z.string(), status: z.string() }),
  ({ content, task_id, subagent, status }) => [
    text(`[task: ${String(task_id)}, sub-agent: ${String(subagent)}, status: ${String(status)}]`),
    ...content,
  ],
);
