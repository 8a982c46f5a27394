import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { openedTool, type OpenedTool } from '../testing/opened-tool.ts';
import { writeFiles } from '../../test/support/write-files.ts';
import { planningFileEditor } from './planning-file-editor.ts';

const planOf = ({ workspace }: OpenedTool): string => join(workspace, '.agents_tmp/PLAN.md');
const heading = '# 2. CONTEXT SUMMARY\n';

test('the first edit starts the plan with its outline, and shows the change', async () => {
  await using tool = await openedTool(planningFileEditor());
  const path = planOf(tool);
  const edited = await tool.call({ command: 'str_replace', path, old_str: heading, new_str: `${heading}Small.\n` });
  expect(edited).toMatchObject({ kind: 'PlanningFileEditorObservation', is_error: false, path });
  expect(edited['new_content']).toContain(`${heading}Small.\n`);
  const text = await readFile(path, 'utf8');
  expect(text.match(/^# \d\./gm)).toEqual(['# 1.', '# 2.', '# 3.', '# 4.', '# 5.']);
  await tool.call({ command: 'undo_edit', path });
  expect(await readFile(path, 'utf8')).not.toContain('Small.');
});

test('viewing a missing plan shows the outline and writes nothing', async () => {
  await using tool = await openedTool(planningFileEditor());
  const seen = await tool.call({ command: 'view', path: planOf(tool) });
  expect(seen).toMatchObject({ is_error: false });
  expect(textOf(seen.content)).toContain(heading);
  expect(await readdir(tool.workspace)).toEqual([]);
});

test('an existing plan in the workspace itself is used', async () => {
  await using tool = await openedTool(planningFileEditor());
  await writeFiles(tool.workspace, { 'PLAN.md': 'Old.\n' });
  const path = join(tool.workspace, 'PLAN.md');
  expect(await tool.call({ command: 'insert', path, insert_line: 1, new_str: 'New.' })).toMatchObject({
    is_error: false,
  });
  expect(await readFile(path, 'utf8')).toBe('Old.\nNew.\n');
  expect(await tool.call({ command: 'create', path: planOf(tool), file_text: '' })).toMatchObject({ is_error: true });
});

test('the plan can be created whole, and outside of the workspace', async () => {
  await using other = await openedTool(planningFileEditor());
  const path = join(other.workspace, 'deep/plan.md');
  await using tool = await openedTool(planningFileEditor({ planPath: path }));
  expect(await tool.call({ command: 'create', path, file_text: 'All.\n' })).toMatchObject({ is_error: false });
  expect(await readFile(path, 'utf8')).toBe('All.\n');
});

test.for(['create', 'str_replace', 'insert', 'undo_edit'])('%s of another file is refused', async (command) => {
  await using tool = await openedTool(planningFileEditor());
  await writeFiles(tool.workspace, { a: '1\n' });
  const input = { path: join(tool.workspace, 'a'), file_text: 'x', old_str: '1', new_str: '2', insert_line: 0 };
  const refused = await tool.call({ ...input, command });
  expect(refused).toMatchObject({ is_error: true });
  expect(textOf(refused.content)).toContain(`Only the plan can be changed: ${planOf(tool)}`);
  expect(await readFile(join(tool.workspace, 'a'), 'utf8')).toBe('1\n');
});

test('other files of the workspace can be viewed', async () => {
  await using tool = await openedTool(planningFileEditor());
  await writeFiles(tool.workspace, { a: 'text\n' });
  expect(textOf((await tool.call({ command: 'view', path: join(tool.workspace, 'a') })).content)).toContain('1\ttext');
  expect(await tool.call({ command: 'view', path: '/etc/passwd' })).toMatchObject({ is_error: true });
});

test('a path of the plan that is not absolute is unusable', () => {
  expect(() => planningFileEditor({ planPath: 'PLAN.md' })).toThrow('is not absolute');
});
