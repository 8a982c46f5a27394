import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileEditor } from './file-editor/file-editor.ts';
import { pruneToolFiles } from './prune-tool-files.ts';
import { openedTool } from './testing/opened-tool.ts';
import { openTerminal } from '../test/support/open-terminal.ts';

const day = 24 * 60 * 60 * 1000;
const now = (): number => Date.UTC(2026, 0, 100);
const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-kept-'));

/** Creates a directory of the given size that was last changed the given number of days ago. */
async function kept(root: string, name: string, { days, bytes = 1 }: { days: number; bytes?: number }): Promise<void> {
  const path = join(root, name);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'edits.json'), 'x'.repeat(bytes));
  await age(path, days);
}

async function age(path: string, days: number): Promise<void> {
  const at = new Date(now() - days * day);
  for (const name of await readdir(path)) await utimes(join(path, name), at, at);
  await utimes(path, at, at);
}

test('directories unchanged for longer than the limit are removed, with all file names of the tools', async () => {
  await using place = await temporary();
  const root = join(place.path, 'kept');
  {
    await using editor = await openedTool(fileEditor({ historyDir: join(root, 'edited') }));
    const path = join(editor.workspace, 'file');
    await editor.call({ command: 'create', path, file_text: 'one\n' });
    await editor.call({ command: 'str_replace', path, old_str: 'one', new_str: 'two' });
    await using shell = await openTerminal(false, { outputDir: join(root, 'shown') });
    await shell.call({ command: 'seq 20000', timeout: 60 });
    await shell.call({ command: 'seq 20000; echo more', timeout: 60 });
  }
  expect([await readdir(join(root, 'edited')), await readdir(join(root, 'shown'))]).toMatchObject([
    { length: 2 },
    { length: 2 },
  ]);
  const left = '0123abcd-0123-4567-89ab-0123456789ab.tmp';
  await Promise.all([`shown/${left}`, `edited/.varve-${left}`].map((name) => writeFile(join(root, name), 'crash')));
  for (const name of ['edited', 'shown']) await age(join(root, name), 31);
  expect(await pruneToolFiles(root, { maxAgeMs: 32 * day, maxBytes: Infinity, now })).toEqual([]);
  const removed = await pruneToolFiles(root, { maxAgeMs: 30 * day, maxBytes: Infinity, now });
  expect(removed.toSorted()).toEqual(['edited', 'shown']);
  expect(await readdir(root)).toEqual([]);
});

test('above the size limit the least recently changed directories are removed, except those in use', async () => {
  await using root = await temporary();
  for (const days of [0.5, 2, 3, 4, 5]) await kept(root.path, `d${days}`, { days, bytes: 100 });
  const limits = { maxAgeMs: 30 * day, now };
  expect(await pruneToolFiles(root.path, { ...limits, maxBytes: 500 })).toEqual([]);
  expect(await pruneToolFiles(root.path, { ...limits, maxBytes: 499, keep: 'd5' })).toEqual([]);
  expect(await pruneToolFiles(root.path, { ...limits, maxBytes: 399, keep: 'd5' })).toEqual(['d4']);
  expect(await pruneToolFiles(root.path, { ...limits, maxBytes: 0 })).toEqual(['d2', 'd3', 'd5']);
  expect(await readdir(root.path)).toEqual(['d0.5']);
});

test('one changed file makes a directory recent', async () => {
  await using root = await temporary();
  await kept(root.path, 'd', { days: 40 });
  const path = join(root.path, 'd', 'edits.json');
  await utimes(path, new Date(now()), new Date(now()));
  expect(await pruneToolFiles(root.path, { maxAgeMs: day, maxBytes: 0, now })).toEqual([]);
});

test('a directory with any file not written by a tool is left unchanged', async () => {
  await using place = await temporary();
  const [root, elsewhere] = [join(place.path, 'kept'), join(place.path, 'elsewhere')];
  await kept(elsewhere, '.', { days: 40 });
  for (const name of ['note', 'link', 'nested', 'odd']) await kept(root, name, { days: 40 });
  await writeFile(join(root, 'note', 'notes.txt'), 'mine');
  await symlink(join(elsewhere, 'edits.json'), join(root, 'link', `${'a'.repeat(64)}.before`));
  await mkdir(join(root, 'nested', `terminal_output_0123abcd.txt`));
  await writeFile(join(root, 'odd', `${'a'.repeat(63)}.before`), '');
  await writeFile(join(root, 'edits.json'), 'a file');
  await symlink(elsewhere, join(root, 'linked'));
  for (const name of ['note', 'link', 'nested', 'odd']) await age(join(root, name), 40);
  const before = (await readdir(place.path, { recursive: true })).toSorted();
  expect(await pruneToolFiles(root, { maxAgeMs: day, maxBytes: 0, now })).toEqual([]);
  expect((await readdir(place.path, { recursive: true })).toSorted()).toEqual(before);
});

test('a missing directory is ignored', async () => {
  await using place = await temporary();
  expect(await pruneToolFiles(join(place.path, 'none'), { maxAgeMs: 0, maxBytes: 0 })).toEqual([]);
  expect(existsSync(join(place.path, 'none'))).toBe(false);
});
