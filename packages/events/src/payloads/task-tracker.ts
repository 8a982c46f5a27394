import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { withFallback } from '../lenient.ts';
import { defineAction, defineObservation } from '../define-payload.ts';

/** Entry of the agent's task list. */
export const taskItem = lazy(() =>
  z.strictObject({
    title: z.string(),
    notes: z.string().default(''),
    status: withFallback(z.enum(['todo', 'in_progress', 'done']), 'todo').default('todo'),
  }),
);
export type TaskItem = Readonly<z.output<ReturnType<typeof taskItem>>>;

const command = lazy(() => z.enum(['view', 'plan']));

/** Shows the task list, or replaces it. */
export const TaskTrackerAction = defineAction('TaskTrackerAction', () => ({
  command: command().default('view').describe('view shows the list; plan replaces it.'),
  task_list: z.array(taskItem()).default([]).describe('For plan: the whole new list.'),
}));

/** Task list after the call. */
export const TaskTrackerObservation = defineObservation('TaskTrackerObservation', () => ({
  command: command(),
  task_list: z.array(taskItem()).default([]),
}));
