import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { taskTracker } from './task-tracker.ts';
import { openedTool } from './testing/opened-tool.ts';

test('plan replaces the list, view shows it with marks and notes', async () => {
  await using tracker = await openedTool(taskTracker());
  const planned = await tracker.call({
    command: 'plan',
    task_list: [
      { title: 'Read', status: 'done' },
      { title: 'Write', notes: 'Two\nlines', status: 'in_progress' },
      { title: 'Rest' },
    ],
  });
  expect(planned['task_list']).toHaveLength(3);
  const viewed = await tracker.call({});
  expect(textOf(viewed.content)).toBe('Task list:\n1. [x] Read\n2. [>] Write\n   Two\n   lines\n3. [ ] Rest');
  expect(viewed['task_list']).toEqual(planned['task_list']);
});

test('an empty plan clears the list', async () => {
  await using tracker = await openedTool(taskTracker({ initial: [{ title: 'Old', notes: '', status: 'todo' }] }));
  expect((await tracker.call({}))['task_list']).toHaveLength(1);
  await tracker.call({ command: 'plan', task_list: [] });
  expect(textOf((await tracker.call({})).content)).toBe('The task list is empty.');
});

test('several tasks in progress are allowed, with a warning', async () => {
  await using tracker = await openedTool(taskTracker());
  const task_list = ['a', 'b'].map((title) => ({ title, status: 'in_progress' }));
  const planned = await tracker.call({ command: 'plan', task_list });
  expect(planned.is_error).toBe(false);
  expect(textOf(planned.content)).toContain('2 tasks are in progress');
});

test('viewing has the effect read, planning the effect idempotent', () => {
  const tracker = taskTracker();
  expect(tracker.effect({ command: 'view', task_list: [] })).toBe('read');
  expect(tracker.effect({ command: 'plan', task_list: [] })).toBe('idempotent');
});
