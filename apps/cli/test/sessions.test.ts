import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { newHome, runVarve } from './run-varve.ts';

/** Creates a home with two finished conversations, and runs the command in it. */
async function twoConversations() {
  const home = await newHome();
  const varve = async (...args: readonly string[]) => runVarve(args, { home });
  await using server = await scriptedServer([{ text: 'Four.' }, { text: 'Six.' }]);
  const model = ['--base-url', server.url, '--model', 'm'];
  await varve('run', 'Add 2 and 2', ...model);
  await varve('run', 'Add 3 and 3', ...model);
  const ids = (await varve('ls')).stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
  const [last = '', first = ''] = ids;
  return { home, varve, first, last };
}

test('ls finds conversations by a text and by their directory', async () => {
  const { home, varve, first } = await twoConversations();
  expect((await varve('ls', '--search', 'ADD 2')).stdout).toMatch(new RegExp(`^${first} .*\\n$`));
  expect((await varve('ls', '--workspace', home)).stdout.trim().split('\n')).toHaveLength(2);
  expect((await varve('ls', '--workspace', join(home, 'sub'))).stdout).toBe('');
});

test('rm asks on a terminal, refuses without one, and removes what is named', async () => {
  const { varve, first, last } = await twoConversations();
  expect((await varve('rm', first)).code).toBe(2);
  expect((await varve('rm')).code).toBe(2);
  expect(await varve('rm', first, '--yes')).toMatchObject({ code: 0, stderr: 'Removed 1 conversation.\n' });
  expect((await varve('ls')).stdout).toMatch(new RegExp(`^${last} .*\\n$`));
  expect(await varve('rm', '--older-than', '1d', '--yes')).toMatchObject({ stderr: 'There is nothing to remove.\n' });
  expect(await varve('rm', '--keep', '1', '--yes')).toMatchObject({ stderr: 'There is nothing to remove.\n' });
  expect((await varve('rm', '--older-than', 'soon', '--yes')).code).toBe(2);
});

test('a conversation is renamed, and its copy has the same title', async () => {
  const { varve, first } = await twoConversations();
  expect((await varve('rename', first, 'Sums', 'of', 'two')).code).toBe(0);
  expect((await varve('ls', '--search', 'sums of two')).stdout).toContain(first);
  const { stdout: copy } = await varve('fork', first);
  expect(copy).toMatch(/^[0-9a-f]{32}\n$/);
  expect((await varve('ls', '--search', 'sums of two')).stdout.trim().split('\n')).toHaveLength(2);
});

test('conversations are copied to another store, and a store is copied into a file', async () => {
  const { home, varve, first } = await twoConversations();
  const other = `dir:${join(home, 'other')}`;
  expect((await varve('cp', other, first)).code).toBe(0);
  expect((await varve('ls', '--store', other)).stdout).toMatch(new RegExp(`^${first} .*Add 2`));
  expect((await varve('verify', first, '--store', other)).code).toBe(0);
  expect((await varve('cp', other, first)).code).not.toBe(0);
  const file = join(home, 'copy.db');
  expect((await varve('backup', file)).code).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect((await varve('ls', '--store', `sqlite:${file}`)).stdout.trim().split('\n')).toHaveLength(2);
  expect((await varve('backup', file, '--store', other)).code).toBe(2);
});
