import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { modelFrom } from '@varve/llm';
import { scriptedModel, scriptedServer } from '@varve/llm/testing';
import { defaultTools, finish } from '@varve/tools';
import { openStore } from '@varve/storage';
import { schemesOf } from '../src/home/schemes.ts';
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

test('ls shows the cost of a conversation that was not closed', async () => {
  const home = await newHome();
  await using store = await openStore(`sqlite:${join(home, '.varve/varve.db')}`, schemesOf({}));
  const turn = { costUsd: 0.25, calls: [{ name: 'terminal', arguments: { command: 'ls' } }] };
  const agent = defineAgent({
    model: scriptedModel([turn]),
    confirmation: alwaysConfirm(),
    tools: () => defaultTools(),
  });
  await using conversation = await Conversation.create({ agent, store, workspace: home });
  await conversation.send('List');
  expect((await conversation.run()).reason).toBe('waiting');
  expect((await runVarve(['ls'], { home })).stdout).toMatch(/ waiting .*\$0\.2500/);
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

test('a conversation is renamed and copied without the key of its model', async () => {
  const home = await newHome();
  const store = await openStore(`sqlite:${join(home, '.varve/varve.db')}`, schemesOf({}));
  const model = modelFrom('openai/gpt-5', { apiKey: 'k' });
  const conversation = await Conversation.create({
    agent: defineAgent({ model, tools: () => [finish()] }),
    store,
    workspace: home,
  });
  await conversation.send('Add 2 and 2');
  await conversation[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  const varve = async (...args: readonly string[]) => runVarve(args, { home });
  expect(await varve('run', '--resume', conversation.id, 'Go on')).toMatchObject({ code: 2 });
  expect(await varve('rename', conversation.id, 'Sums')).toMatchObject({ code: 0, stderr: '' });
  expect(await varve('fork', conversation.id)).toMatchObject({ code: 0, stderr: '' });
  const settings = (await varve('show', conversation.id, '--json')).stdout
    .split('\n')
    .filter((line) => line.includes('varve.settings'))
    .map((line) => JSON.stringify((JSON.parse(line) as { value: { agent: { model: unknown } } }).value.agent.model));
  // The model stays as it was stored.
  expect(settings.length).toBeGreaterThan(0);
  expect(new Set(settings).size).toBe(1);
});

test('a terminal shows how long ago a conversation was changed, and its cost', async () => {
  const { home } = await twoConversations();
  const { stdout } = await runVarve(['ls'], { home, columns: 120 });
  expect(stdout).toMatch(/^[0-9a-f]{8} {2}just now {2}finished/);
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
