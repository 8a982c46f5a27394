import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { finish, type ClientToolSpec } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const finishing = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const mine = ['record', 'finish'];

function agent(steps: Parameters<typeof scriptedModel>[0] = [finishing]) {
  return defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()] });
}

/** Imports a conversation that was used with a client tool. */
async function imported(tool: ClientToolSpec, workspace: string): Promise<EventStore> {
  const [theirs, store] = [memoryStore(), memoryStore()];
  const other = defineAgent({ model: scriptedModel([finishing]), tools: () => [finish()] });
  await using conversation = await Conversation.create({
    agent: other,
    store: theirs,
    workspace,
    id,
    clientTools: [tool],
  });
  await conversation.send('Go.');
  await conversation.run();
  await Conversation.import(exportBundle(await theirs.read(id), await theirs.summary(id)), { store });
  return store;
}

const offered = (conversation: Conversation): readonly string[] => conversation.request().tools.map(({ name }) => name);

const names = ['show_panel', 'record', 'terminal'];
const schemas: readonly NonNullable<ClientToolSpec['parameters']>[] = [
  { type: 'object', properties: {} },
  // A match of this takes time that is exponential in the length of the argument.
  { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
];

test.for(names.flatMap((name) => schemas.map((parameters) => ({ name, description: 'Theirs.', parameters }))))(
  'no tool of an imported log is offered, compared or called, also in forks and later: %j',
  async (tool) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const workspace = root.path;
    const store = await imported(tool, workspace);
    const call = { calls: [{ name: tool.name, arguments: { text: `${'a'.repeat(60)}!` } }] };
    await using conversation = await Conversation.open({ agent: agent([call, finishing]), store, id, workspace });
    expect(offered(conversation)).toEqual(mine);
    await conversation.send('Continue.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    await using fork = await conversation.fork({});
    const { id: forkId } = fork;
    expect(offered(fork)).toEqual(mine);
    for (const opened of [conversation, fork]) await opened[Symbol.asyncDispose]();
    for (const copyId of [id, forkId]) {
      await using again = await Conversation.open({ agent: agent(), store, id: copyId });
      expect(offered(again)).toEqual(mine);
    }
  },
);

test('client tools that are passed when an imported conversation is opened stay with it', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const tool = { name: 'show_panel', description: 'Mine.' };
  const store = await imported({ ...tool, description: 'Theirs.' }, root.path);
  {
    const options = { agent: agent(), store, id, workspace: root.path, clientTools: [tool] };
    await using conversation = await Conversation.open(options);
    await conversation.send('Continue.');
    await conversation.run();
  }
  await using again = await Conversation.open({ agent: agent(), store, id });
  expect(again.request().tools.filter(({ name }) => name === 'show_panel')).toMatchObject([{ description: 'Mine.' }]);
});

test.for(names)('a fork from any event before the import does not need the tool %s of the bundle', async (name) => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const store = await imported({ name, description: 'Theirs.' }, root.path);
  const ids = (await Array.fromAsync((await store.read(id)).range(0))).map((event) => event.id);
  await using conversation = await Conversation.open({ agent: agent(), store, id, workspace: root.path });
  const points = ids.filter((point) => conversation.state.view.events.some((event) => event.id === point));
  expect(points.length).toBeGreaterThan(2);
  for (const at of points) {
    await using fork = await conversation.fork({ at });
    expect(offered(fork)).toEqual(mine);
  }
});
