import { text } from '@varve/events';
import { type TaskItem, TaskTrackerAction, TaskTrackerObservation } from '@varve/events/payloads';
import type { OwnedTool } from './contract/tool.ts';
import { defineBuiltinTool } from './contract/define-tool.ts';
import { closeMemory } from './contract/lifetime.ts';

/** Input of one call. */
export interface TaskTrackerCall {
  readonly command: 'view' | 'plan';
  readonly task_list: readonly TaskItem[];
}

/** Options of {@link taskTracker}. */
export interface TaskTrackerOptions {
  /** Initial list: for a resumed conversation, the list in its log. Default: empty. */
  readonly initial?: readonly TaskItem[];
}

const marks = { todo: '[ ]', in_progress: '[>]', done: '[x]' } as const;

/**
 * Returns the tool by which the agent keeps its task list. The tool holds the list in memory only; every observation
 * contains the whole list, so the log stores it.
 */
export function taskTracker({ initial = [] }: TaskTrackerOptions = {}): OwnedTool<TaskTrackerCall> {
  let tasks: readonly TaskItem[] = structuredClone(initial);
  return defineBuiltinTool({
    name: 'task_tracker',
    description: `Keeps a list of the steps of a task. Use it for work of several steps, and keep it true as you go.

- \`plan\` replaces the whole list by \`task_list\`; an empty list clears it.
- \`view\` shows the list.
- A task has a \`title\`, \`notes\`, and a \`status\`: todo, in_progress or done. Have one task in progress at a time, and mark it done as soon as it is.`,
    input: TaskTrackerAction,
    output: TaskTrackerObservation,
    definitionKind: 'TaskTrackerTool',
    annotations: {
      title: 'task_tracker',
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    effect: ({ command }) => (command === 'view' ? 'read' : 'idempotent'),
    close: closeMemory,
    execute: async ({ command, task_list }) => {
      if (command === 'plan') tasks = task_list;
      return { command, task_list: tasks, content: [text(resultText(command, tasks))] };
    },
  });
}

function resultText(command: TaskTrackerCall['command'], tasks: readonly TaskItem[]): string {
  if (command === 'view')
    return tasks.length === 0 ? 'The task list is empty.' : `Task list:\n${tasks.map(formatTask).join('\n')}`;
  const busy = tasks.filter(({ status }) => status === 'in_progress').length;
  const warning = busy > 1 ? ` ${busy} tasks are in progress; one at a time is easier to follow.` : '';
  return `The task list now has ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}.${warning}`;
}

function formatTask({ title, notes, status }: TaskItem, index: number): string {
  const note = notes === '' ? '' : `\n   ${notes.replaceAll('\n', '\n   ')}`;
  return `${index + 1}. ${marks[status]} ${title}${note}`;
}
