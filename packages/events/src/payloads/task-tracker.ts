import { z } from 'zod';
import { withFallback } from '../lenient.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** One entry of the agent's own task list. */
export const taskItem = z.strictObject({
  title: z.string(),
  notes: z.string().default(''),
  status: withFallback(z.enum(['todo', 'in_progress', 'done']), 'todo').default('todo'),
});
export type TaskItem = Readonly<z.output<typeof taskItem>>;

const command = z.enum(['view', 'plan']);

/** Show the task list, or replace it whole. */
export const TaskTrackerAction = defineAction('TaskTrackerAction', {
  command: command.default('view').describe('view shows the list; plan replaces it.'),
  task_list: z.array(taskItem).default([]).describe('For plan: the whole new list.'),
});

/** The task list after the call. */
export const TaskTrackerObservation = defineObservation('TaskTrackerObservation', {
  command,
  task_list: z.array(taskItem).default([]),
});
