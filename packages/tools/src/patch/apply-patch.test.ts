import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import type { Observation } from '@varve/events/payloads';
import { expect, test } from 'vitest';
import { openedTool, type OpenedTool } from '../testing/opened-tool.ts';
import { directoryTraces } from '../testing/traces.ts';
import { writeFiles } from '../../test/support/write-files.ts';
import { applyPatch } from './apply-patch.ts';

async function opened(files: Readonly<Record<string, string>> = {}): Promise<OpenedTool> {
  const tool = await openedTool(applyPatch());
  await writeFiles(tool.workspace, files);
  return tool;
}

const patch = (...lines: readonly string[]): { readonly patch: string } => ({
  patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const content = ({ workspace }: OpenedTool, name: string): Promise<string> => readFile(join(workspace, name), 'utf8');
const textIn = (observation: Observation): string => textOf(observation.content);

/** Asserts that a patch is refused with this reason and changes nothing. */
async function refused(tool: OpenedTool, input: unknown, reason: string | RegExp): Promise<void> {
  const before = await directoryTraces(tool.workspace);
  const observation = await tool.call(input);
  expect(observation).toMatchObject({ is_error: true });
  expect(textIn(observation)).toMatch(reason);
  expect(await directoryTraces(tool.workspace)).toEqual(before);
}

test('a file is created with a final line end, changed and deleted', async () => {
  await using tool = await opened();
  const made = await tool.call(patch('*** Add File: sub/a.txt', '+one', '+', '+two'));
  expect(made).toMatchObject({
    is_error: false,
    fuzz: 0,
    message: 'The patch was applied:\nA sub/a.txt',
    commit: { changes: { 'sub/a.txt': { type: 'add', new_content: 'one\n\ntwo\n' } } },
  });
  expect(await content(tool, 'sub/a.txt')).toBe('one\n\ntwo\n');
  const changed = await tool.call(patch('*** Update File: sub/a.txt', '@@', ' one', ' ', '-two', '+three'));
  expect(changed).toMatchObject({
    commit: {
      changes: { 'sub/a.txt': { type: 'update', old_content: 'one\n\ntwo\n', new_content: 'one\n\nthree\n' } },
    },
  });
  const gone = await tool.call(patch('*** Delete File: sub/a.txt'));
  expect(gone).toMatchObject({
    commit: { changes: { 'sub/a.txt': { type: 'delete', old_content: 'one\n\nthree\n' } } },
  });
  expect(await readdir(join(tool.workspace, 'sub'))).toEqual([]);
});

test('one patch adds, changes, renames and deletes', async () => {
  await using tool = await opened({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\nd\n' });
  const observation = await tool.call(
    patch(
      '*** Update File: a.txt',
      '-a',
      '+A',
      '*** Delete File: b.txt',
      '',
      '*** Update File: c.txt',
      '*** Move to: new/e.txt',
      ' c',
      '-d',
      '+D',
      '*** Add File: f.txt',
      '+f',
    ),
  );
  expect(textIn(observation)).toBe('The patch was applied:\nM a.txt\nD b.txt\nR c.txt -> new/e.txt\nA f.txt');
  expect((await readdir(tool.workspace)).toSorted()).toEqual(['a.txt', 'f.txt', 'new']);
  expect(await content(tool, 'a.txt')).toBe('A\n');
  expect(await content(tool, 'new/e.txt')).toBe('c\nD\n');
});

test('a file is renamed without a change, and keeps its mode', async () => {
  await using tool = await opened({ 'run.sh': 'x\n' });
  await chmod(join(tool.workspace, 'run.sh'), 0o755);
  const observation = await tool.call(patch('*** Update File: run.sh', '*** Move to: go.sh'));
  expect(observation).toMatchObject({ commit: { changes: { 'run.sh': { move_path: 'go.sh' } } } });
  expect((await stat(join(tool.workspace, 'go.sh'))).mode & 0o777).toBe(0o755);
  expect(await readdir(tool.workspace)).toEqual(['go.sh']);
});

test('a patch of a file that something else changed since the last one names this, or is refused without context', async () => {
  await using tool = await opened({ a: '1\n2\n' });
  await tool.call(patch('*** Update File: a', ' 1', '-2', '+3'));
  await writeFile(join(tool.workspace, 'a'), '0\n1\n3\n');
  await refused(tool, patch('*** Update File: a', '+top'), /changed by something else since it was shown/);
  const named = await tool.call(patch('*** Update File: a', ' 1', '-3', '+4'));
  expect(textIn(named)).toBe(
    'The patch was applied:\nM a. It was changed by something else since it was shown: check the result.',
  );
  expect(textIn(await tool.call(patch('*** Update File: a', '+top')))).toBe('The patch was applied:\nM a');
});

test('several changes of one file follow each other', async () => {
  await using tool = await opened({ a: '1\n2\n3\n4\n5\n6\n' });
  await tool.call(patch('*** Update File: a', '@@', ' 1', '-2', '@@', ' 5', '+5.5', ' 6'));
  expect(await content(tool, 'a')).toBe('1\n3\n4\n5\n5.5\n6\n');
});

test('a change that matches several places is refused, unless a line above it selects one', async () => {
  const text = 'def a():\n  x = 1\n  return x\ndef b():\n  x = 1\n  return x\n';
  await using tool = await opened({ a: text });
  await refused(tool, patch('*** Update File: a', '@@', '-  x = 1', '+  x = 2'), /several places, at lines 2, 5/);
  await tool.call(patch('*** Update File: a', '@@ def b():', '-  x = 1', '+  x = 2'));
  expect(await content(tool, 'a')).toBe('def a():\n  x = 1\n  return x\ndef b():\n  x = 2\n  return x\n');
});

test('of many places the first hundred are named', async () => {
  await using tool = await opened({ a: 'x\n'.repeat(50_000) });
  await refused(tool, patch('*** Update File: a', '-x', '+y'), /at lines 1, 2, 3, .*, 100 and more\./);
});

test('an anchor that occurs twice does not select a place', async () => {
  await using tool = await opened({ a: 'class A\n  f\n    x\nclass B\n  f\n    x\n' });
  await refused(tool, patch('*** Update File: a', '@@   f', '-    x', '+    y'), /several places/);
  await tool.call(patch('*** Update File: a', '@@ class B', '@@   f', '-    x', '+    y'));
  expect(await content(tool, 'a')).toBe('class A\n  f\n    x\nclass B\n  f\n    y\n');
});

test('a missing anchor does not matter if the place is unambiguous', async () => {
  await using tool = await opened({ a: '1\n2\n' });
  await tool.call(patch('*** Update File: a', '@@ def gone():', '-2', '+3'));
  expect(await content(tool, 'a')).toBe('1\n3\n');
});

test.for([
  ['blanks at the end', 'x = 1  \ny\n', ' x = 1', 'x = 1  \nz\n', 1],
  ['blanks at the start', '    x = 1\ny\n', ' x = 1', '    x = 1\nz\n', 100],
  ['other quotes and dashes', 'a \u2013 \u201Cb\u201D\ny\n', ' a - "b"', 'a \u2013 \u201Cb\u201D\nz\n', 1000],
] as const)('context with %s is found and stays unchanged', async ([, text, context, expected, fuzz]) => {
  await using tool = await opened({ a: text });
  const observation = await tool.call(patch('*** Update File: a', context, '-y', '+z'));
  expect(observation).toMatchObject({ is_error: false, fuzz });
  expect(await content(tool, 'a')).toBe(expected);
});

test('the end-of-file marker selects the last place', async () => {
  await using tool = await opened({ a: 'x\ny\nx\n' });
  await tool.call(patch('*** Update File: a', '@@', '-x', '+z', '*** End of File'));
  expect(await content(tool, 'a')).toBe('x\ny\nz\n');
});

test.for([
  ['at the top', ['+0'], '1\n2\n', '0\n1\n2\n'],
  ['below a line', ['@@ 1', '+1.5'], '1\n2\n', '1\n1.5\n2\n'],
  ['at the end', ['@@', '+3', '*** End of File'], '1\n2\n', '1\n2\n3\n'],
  ['at the end of a file without a final line end', ['@@', '+3', '*** End of File'], '1\n2', '1\n2\n3'],
  ['in an empty file', ['+1'], '', '1\n'],
] as const)('lines are inserted %s', async ([, lines, text, expected]) => {
  await using tool = await opened({ a: text });
  await tool.call(patch('*** Update File: a', ...lines));
  expect(await content(tool, 'a')).toBe(expected);
});

test('a missing final line end stays missing, and present line ends stay unchanged', async () => {
  await using tool = await opened({ a: '1\n2', b: '1\r\n2\n3\r\n4\r\n' });
  await tool.call(patch('*** Update File: a', ' 1', '-2', '+3', '*** Update File: b', ' 1', '-2', '+x', '+y', ' 3'));
  expect(await content(tool, 'a')).toBe('1\n3');
  expect(await content(tool, 'b')).toBe('1\r\nx\r\ny\r\n3\r\n4\r\n');
});

test.for([
  ['*** Update File: a', '@@', ' 1', '-9', '+x'],
  ['*** Update File: a', ...Array.from({ length: 50 }, (_, index) => ` ${index}`), '+x'],
  ['*** Update File: a', '@@', '-3', '+x', '@@', '-1', '+y'],
  ['*** Update File: a', ' 4 5', '+x'],
])('lines that do not occur in this order with these inner blanks are refused: %s', async (lines) => {
  await using tool = await opened({ a: '1\n2\n3\n4  5\n' });
  await refused(tool, patch(...lines), /^Nothing was changed.*(are not in a)/s);
});

test.for([
  [['*** Update File: missing', '-1', '+2'], /Nothing exists/],
  [['*** Delete File: missing'], /Nothing exists/],
  [['*** Add File: a', '+x'], /does not overwrite/],
  [['*** Update File: sub', '-1', '+2'], /directory/],
  [['*** Delete File: link'], /symbolic link/],
  [['*** Update File: link', '*** Move to: b', '-1', '+2'], /symbolic link/],
  [['*** Add File: b', '+1', '*** Add File: ./b', '+2'], /more than once/],
  [['*** Update File: a', '-1', '+2', '*** Update File: link', '-1', '+2'], /more than once/],
  [['*** Update File: a', '*** Move to: ../b', '-1', '+2'], /without "\.\."/],
  [['*** Update File: a', '*** Move to: /b', '-1', '+2'], /relative/],
  [['*** Update File: a', '*** Move to: sub/c', '-1', '+2'], /does not overwrite/],
  [['*** Add File: ../b', '+x'], /outside/],
  [['*** Add File: /b', '+x'], /outside/],
  [['*** Add File: out/b', '+x'], /outside/],
  [['*** Add File: sub/c/d', '+x'], /already exists|not a directory/],
] as const)('%j is refused', async ([lines, reason]) => {
  await using tool = await opened({ a: '1\n', 'sub/c': '1\n' });
  await symlink(join(tool.workspace, 'a'), join(tool.workspace, 'link'));
  await using other = await opened();
  await symlink(other.workspace, join(tool.workspace, 'out'));
  await refused(tool, patch(...lines), reason);
});

test('a directory whose name starts with that of the workspace is outside of it', async () => {
  await using tool = await opened();
  await refused(tool, patch(`*** Add File: ${tool.workspace}2/a`, '+x'), /outside/);
});

test('an absolute path inside of the workspace is accepted', async () => {
  await using tool = await opened();
  await tool.call(patch(`*** Add File: ${tool.workspace}/a`, '+x'));
  expect(await content(tool, 'a')).toBe('x\n');
});

test('the target of a link is changed, and the link stays', async () => {
  await using tool = await opened({ a: '1\n' });
  await symlink('a', join(tool.workspace, 'link'));
  await tool.call(patch('*** Update File: link', '-1', '+2'));
  expect(await content(tool, 'a')).toBe('2\n');
  expect((await directoryTraces(tool.workspace)).some((line) => line.startsWith('link ') && line.endsWith(' a'))).toBe(
    true,
  );
});

test('if one change fails the others are reverted', async () => {
  await using tool = await opened({ a: '1\n', 'z/keep': '' });
  const before = (await directoryTraces(tool.workspace)).map((line) => line.split(' ')[0]);
  // The parent directory of the last file is a file created by the same patch.
  const observation = await tool.call(
    patch('*** Update File: a', '-1', '+2', '*** Add File: n/e/w', '+x', '*** Add File: n/e/w/x', '+y'),
  );
  expect(observation).toMatchObject({ is_error: true });
  expect(textIn(observation)).toMatch(/^Nothing was changed: applying the patch failed/);
  expect(await content(tool, 'a')).toBe('1\n');
  expect((await directoryTraces(tool.workspace)).map((line) => line.split(' ')[0])).toEqual(before);
});

test('a binary file is refused', async () => {
  await using tool = await opened();
  await writeFile(join(tool.workspace, 'b'), Buffer.from([0, 1]));
  await refused(tool, patch('*** Update File: b', '-1', '+2'), /binary/);
});

test('an empty directory is not a file', async () => {
  await using tool = await opened();
  await mkdir(join(tool.workspace, 'd'));
  await refused(tool, patch('*** Delete File: d'), /directory/);
});

test('calls declare the files they change if the workspace is known', () => {
  const tool = applyPatch({ workspace: '/w/x' });
  const call = patch('*** Update File: a', '*** Move to: b', '-1', '+2', '*** Delete File: ../x/a');
  expect(tool.resources(call)).toEqual(['file:/w/x/a', 'file:/w/x/b']);
  expect(tool.resources({ patch: 'nonsense' })).toEqual([]);
  expect(applyPatch().resources(call)).toBeUndefined();
  expect(() => applyPatch({ workspace: 'w' })).toThrow('not an absolute path');
});

test('a unified diff in a code fence, under another name, is applied without a further call', async () => {
  await using tool = await opened({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'old.txt': 'same\n' });
  const diff = [
    '```diff',
    'diff --git a/a.txt b/a.txt',
    'index 1..2 100644',
    '--- a/a.txt\t2026-01-01',
    '+++ b/a.txt',
    '@@ -7,2 +7,2 @@',
    ' one',
    '-two',
    '+2',
    'diff --git a/c.txt b/c.txt',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/c.txt',
    '@@ -0,0 +1 @@',
    '+new',
    '\\ No newline at end of file',
    '--- a/b.txt',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-b',
    '--- a/old.txt',
    '+++ b/new.txt',
    '@@ -1 +1 @@',
    '-same',
    '+other',
    '```',
  ].join('\n');
  const fields = tool.tool.repairInput?.({ input: diff, explanation: 'x' });
  const result = await tool.call(fields);
  expect(textIn(result)).toBe('The patch was applied:\nM a.txt\nA c.txt\nD b.txt\nR old.txt -> new.txt');
  expect([await content(tool, 'a.txt'), await content(tool, 'c.txt'), await content(tool, 'new.txt')]).toEqual([
    'one\n2\n',
    'new\n',
    'other\n',
  ]);
});

test('a patch that changes nothing reports that, and one that changes a part names the rest', async () => {
  await using tool = await opened({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const same = ['*** Update File: a.txt', '@@', '-one', '+one'];
  await refused(tool, patch(...same), 'Nothing was changed: a.txt is unchanged');
  const result = await tool.call(patch(...same, '*** Update File: b.txt', '@@', '-two', '+2'));
  expect(textIn(result)).toContain('a.txt is unchanged: it has the lines of the patch already\nM b.txt');
});

test.for([
  ['a decomposed letter', 'cafe\u0301 x', 'caf\u00E9 x', /line 2 has U\+0065 U\+0301 where the patch has U\+00E9/],
  ['a character without width', 'a\u200Bb', 'ab', /line 2 has U\+0061 U\+200B where the patch has U\+0061/],
  ['a tab', 'a\tb', 'a  b', /line 2 has U\+0009 where the patch has 2 times U\+0020/],
] as const)('%s that differs is named', async ([, there, here, reason]) => {
  await using tool = await opened({ 'a.txt': `first\n${there}\nlast\n` });
  await refused(tool, patch('*** Update File: a.txt', '@@', ` first`, `-${here}`, '+new', ' last'), reason);
});
