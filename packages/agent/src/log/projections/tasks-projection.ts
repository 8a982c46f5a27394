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
export const tasksProjection: Projection<Map<string, TaskRecord>, readonly TaskRecord[]> = {
  name: 'tasks',
  version: 1,
  scope: 'log',
  initial: () => new Map(),
  apply(tasks, event) {
    if (importFact.read(event)) return new Map();
    const fact = taskFact.read(event);
    if (!fact) return tasks;
    const { task_id: taskId, conversation_id: conversationId, sub_agent: subAgent, action_id: actionId } = fact;
    return tasks.set(taskId, {
      taskId,
      conversationId,
      subAgent,
      ...(actionId !== undefined && { actionId }),
      ...(fact.description !== undefined && { description: fact.description }),
    });
  },
  read: (tasks) => Object.freeze([...tasks.values()]),
  encode: (tasks) => JSON.parse(JSON.stringify([...tasks.values()])) as Json,
  decode: (json) => new Map((json as unknown as readonly TaskRecord[]).map((task) => [task.taskId, task])),
};
