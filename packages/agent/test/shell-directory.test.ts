import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { finish, terminal } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm, confirmRisky } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-shells-')));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
/** Creates a workspace with a directory of the same name as in the other directories. */
function newWorkspace(): string {
  const workspace = join(root, String((count += 1)));
  mkdirSync(join(workspace, 'sub', 'build'), { recursive: true });
  mkdirSync(join(workspace, 'build'));
  return workspace;
}

const reply = (...commands: readonly string[]): ScriptedTurn => ({
  calls: commands.map((command) => ({ name: 'terminal', arguments: { command } })),
});
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** An agent of a new process: its terminal has no shell yet. */
function agentOf(turns: readonly ScriptedTurn[]) {
  return defineAgent({
    model: scriptedModel([...turns, done]),
    tools: () => [terminal({ pty: false }), finish()],
    confirmation: alwaysConfirm(),
  });
}

/** Runs a command in one process, and asks about another one when that process ends. Returns the conversation's id. */
async function waiting(
  store: EventStore,
  workspace: string,
  first: string,
  second: string,
  changed?: { readonly arguments: { readonly command: string } },
): Promise<string> {
  const agent = agentOf([reply(first), reply(second)]);
  await using conversation = await Conversation.create({ agent, store, workspace });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve(changed);
  expect((await conversation.run()).reason).toBe('waiting');
  return conversation.id;
}

const remove = 'rm -r build';

test.for([
  ['cd sub', remove, 'sub'],
  ['cd sub/../sub', remove, 'sub'],
  ['cd sub; cd ..', remove, '.'],
  ['true', remove, '.'],
  ['cd sub', `cd .. && ${remove}`, '.'],
] as const)(
  'after %s, %s that is approved in another process runs where it was shown',
  async ([first, second, place]) => {
    const [store, workspace] = [memoryStore(), newWorkspace()];
    const id = await waiting(store, workspace, first, second);
    await using conversation = await Conversation.open({ agent: agentOf([]), store, id });
    const [directories = []] = conversation.startDirectories().values();
    expect(directories).toEqual(first === 'cd sub' || first.endsWith('sub') ? ['sub'] : []);
    await conversation.approve();
    await conversation.run();
    expect(readdirSync(join(workspace, place))).not.toContain('build');
    expect(readdirSync(join(workspace, place === '.' ? 'sub' : '.'))).toContain('build');
  },
);

test('after a changed command, a command that is approved in another process runs where that left the shell', async () => {
  const [store, workspace] = [memoryStore(), newWorkspace()];
  const id = await waiting(store, workspace, 'true', remove, { arguments: { command: 'cd sub' } });
  await using conversation = await Conversation.open({ agent: agentOf([]), store, id });
  expect([...conversation.startDirectories().values()]).toEqual([['sub']]);
  await conversation.approve();
  await conversation.run();
  expect([readdirSync(workspace), readdirSync(join(workspace, 'sub'))]).toEqual([['build', 'sub'], []]);
});

test('after concurrent commands in several directories, a command starts in one that was shown', async () => {
  const [store, workspace] = [memoryStore(), newWorkspace()];
  mkdirSync(join(workspace, 'other', 'build'), { recursive: true });
  const agent = agentOf([reply('cd sub; sleep 0.2', 'cd other; true'), reply(remove)]);
  const id = await (async () => {
    await using conversation = await Conversation.create({ agent, store, workspace });
    await conversation.send('Go.');
    for (const turn of [0, 1]) {
      if (turn === 1) await conversation.approve();
      await conversation.run();
    }
    return conversation.id;
  })();
  await using conversation = await Conversation.open({ agent: agentOf([]), store, id });
  const [directories = []] = conversation.startDirectories().values();
  await conversation.approve();
  await conversation.run();
  const places = directories.length > 0 ? directories : ['.'];
  expect(places.filter((place) => !readdirSync(join(workspace, place)).includes('build'))).toHaveLength(1);
});

test('after a reset in another process, commands start in the workspace, and are shown so', async () => {
  const [store, workspace] = [memoryStore(), newWorkspace()];
  const id = await waiting(store, workspace, 'cd sub', remove);
  const calls = [{ command: '', reset: true }, { command: remove }].map((input) => ({
    name: 'terminal',
    arguments: input,
  }));
  await using conversation = await Conversation.open({ agent: agentOf([{ calls }]), store, id });
  await conversation.reject('Reset it first.');
  expect((await conversation.run()).reason).toBe('waiting');
  expect([...conversation.startDirectories().values()]).toEqual([
    ['sub', '.'],
    ['sub', '.'],
  ]);
  await conversation.approve();
  await conversation.run();
  expect([readdirSync(workspace), readdirSync(join(workspace, 'sub'))]).toEqual([['sub'], ['build']]);
});

test('without the directory, nothing runs', async () => {
  const [store, workspace] = [memoryStore(), newWorkspace()];
  const id = await waiting(store, workspace, 'cd sub', remove);
  rmSync(join(workspace, 'sub'), { recursive: true });
  await using conversation = await Conversation.open({ agent: agentOf([reply(remove)]), store, id });
  await conversation.approve();
  expect((await conversation.run()).reason).toBe('waiting');
  expect(readdirSync(workspace)).toEqual(['build']);
  // The model has read that the shell is in the workspace now.
  await conversation.approve();
  await conversation.run();
  expect(readdirSync(workspace)).toEqual([]);
});

test('in a fork with another workspace, a change of the settings does not lose the directory', async () => {
  const [store, first, second] = [memoryStore(), newWorkspace(), newWorkspace()];
  const id = await waiting(store, first, 'cd sub', remove);
  await using origin = await Conversation.open({ agent: agentOf([]), store, id });
  await using fork = await origin.fork({ agent: agentOf([reply('cd sub'), reply(remove)]), workspace: second });
  await fork.send('Again.');
  await fork.run();
  await fork.approve();
  expect((await fork.run()).reason).toBe('waiting');
  await fork.setConfirmation(confirmRisky());
  await fork.rename('Other settings');
  expect([...fork.startDirectories().values()]).toEqual([['sub']]);
});

test('a directory of another workspace, of an imported log or of the origin of a fork is not used', async () => {
  const [store, first, second] = [memoryStore(), newWorkspace(), newWorkspace()];
  const id = await waiting(store, first, 'cd sub', remove);
  const other = memoryStore();
  await Conversation.import(exportBundle(await store.read(id), await store.summary(id)), { store: other });
  const forked = await (async () => {
    await using origin = await Conversation.open({ agent: agentOf([]), store, id });
    await using fork = await origin.fork({ workspace: second });
    return fork.id;
  })();
  const agent = (): ReturnType<typeof agentOf> => agentOf([reply(remove)]);
  for (const open of [
    { agent: agent(), store, id: forked, workspace: second },
    { agent: agent(), store: other, id, workspace: second },
    { agent: agent(), store, id, workspace: second },
  ]) {
    mkdirSync(join(second, 'build'), { recursive: true });
    await using conversation = await Conversation.open(open);
    await conversation.send('Again.');
    await conversation.run();
    expect([...conversation.startDirectories().values()]).toEqual([[]]);
    await conversation.approve();
    await conversation.run();
    expect(readdirSync(second)).toEqual(['sub']);
  }
  expect([readdirSync(first), readdirSync(join(first, 'sub'))]).toEqual([['build', 'sub'], ['build']]);
});
