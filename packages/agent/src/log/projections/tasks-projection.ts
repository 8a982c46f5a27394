import type { Json } from '@varve/events';
import { importFact, taskFact } from '@varve/events/facts';
import type { Projection } from '@varve/events/projections';

/** Task of a sub-agent in the log of its parent. */
export interface TaskRecord {
  /** Name by which the task is resumed. */
  readonly taskId: string;
  /** Its child conversation. */
  readonly conversationId: string;
  readonly subAgent: string;
  /** Action that started it. */
  readonly actionId?: string;
  readonly description?: string;
}

/** Tasks of a conversation, oldest first; the last record of each name. Those of an imported log do not count. */
export const tasksProjection: Projection<readonly TaskRecord[]> = {
  name: 'tasks',
  version: 1,
  scope: 'log',
  initial: () => [],
  apply(tasks, event) {
    if (importFact.read(event)) return [];
    const fact = taskFact.read(event);
    if (!fact) return tasks;
    const { task_id: taskId, conversation_id: conversationId, sub_agent: subAgent, action_id: actionId } = fact;
    const task: TaskRecord = {
      taskId,
      conversationId,
      subAgent,
      ...(actionId !== undefined && { actionId }),
      ...(fact.description !== undefined && { description: fact.description }),
    };
    const index = tasks.findIndex((one) => one.taskId === taskId);
    return index === -1 ? [...tasks, task] : tasks.with(index, task);
  },
  read: (tasks) => Object.freeze([...tasks]),
  encode: (tasks) => JSON.parse(JSON.stringify(tasks)) as Json,
  decode: (json) => json as unknown as readonly TaskRecord[],
};
