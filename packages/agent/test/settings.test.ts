import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventCodec, type Json } from '@varve/events';
import { settingsFact } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore, verify } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm, confirmRisky, neverConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readSettings } from '../src/replay/verify-meta.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { verified } from './verified.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const record: ScriptedTurn = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
const agentWith = (options: Partial<AgentOptions>, steps: readonly ScriptedTurn[] = []) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()], ...options });
const careful: Partial<AgentOptions> = {
  confirmation: alwaysConfirm(),
  budget: { maxIterations: 7, maxCalls: 9 },
  stuck: { repeatedResults: 3 },
};

/** A store with a closed conversation that has one message. */
async function stored(options: Partial<AgentOptions> = careful): Promise<EventStore> {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith(options), store, workspace, id });
  await conversation.send('Go.');
  return store;
}

const metaOf = async (store: EventStore) => (await store.summary(id)).meta as Readonly<Record<string, Json>>;

/** Replaces the data next to a log, as a program that can write to the store does. */
async function replaceMeta(store: EventStore, meta: Json): Promise<void> {
  await using log = await store.open(id);
  await log.append([], { meta });
}

const settingsIn = async (store: EventStore) => {
  await using conversation = await Conversation.open({ agent: agentWith({}), store, id });
  return Array.fromAsync(conversation.events(), ({ event }) => settingsFact.read(event)).then((all) =>
    all.filter((section) => section !== undefined),
  );
};

test('settings are in the log from its first event on, and once while they stay the same', async () => {
  const store = memoryStore();
  {
    await using conversation = await Conversation.create({ agent: agentWith(careful), store, workspace, id });
    expect(conversation.state.head).toBe(1);
    await conversation.send('Go.');
  }
  {
    await using again = await Conversation.open({ agent: agentWith({}), store, id });
    await again.send('Continue.');
    expect(again.metaDifferences).toEqual([]);
  }
  const { workspace: path, agent, status, title } = await metaOf(store);
  expect([status, title]).toEqual(['idle', 'Go.']);
  expect(await settingsIn(store)).toEqual([{ workspace: path, agent }]);
});

test('settings that change on opening, and another model, are in the log before the next event', async () => {
  const store = await stored();
  const tightened = { confirmation: confirmRisky(), budget: { maxCalls: 3 } };
  {
    await using conversation = await Conversation.open({ agent: agentWith(tightened), store, id });
    const { head } = conversation.state;
    await conversation.send('Continue.');
    const [first] = await Array.fromAsync(conversation.events({ from: head }), ({ event }) => settingsFact.read(event));
    expect(first?.agent).toMatchObject({ confirmation_policy: { kind: 'ConfirmRisky' }, budget: { maxCalls: 3 } });
    conversation.switchModel({ ...scriptedModel([]), spec: { kind: 'another' } });
    await conversation.send('Continue.');
  }
  const all = await settingsIn(store);
  expect(all.map(({ agent }) => agent['model'])).toEqual([expect.anything(), expect.anything(), { kind: 'another' }]);
  expect((await metaOf(store))['agent']).toEqual(all.at(-1)?.agent);
});

const changes: readonly (readonly [setting: string, change: Readonly<Record<string, Json>>])[] = [
  ['workspace', { workspace: '/etc' }],
  ['agent.confirmation_policy', { agent: { confirmation_policy: { kind: 'NeverConfirm' } } }],
  ['agent.security_analyzer', { agent: { security_analyzer: { kind: 'LLMSecurityAnalyzer' } } }],
  ['agent.budget', { agent: { budget: { maxIterations: 1_000_000 } } }],
  ['agent.stuck', { agent: { stuck: 'never' } }],
  ['agent.model', { agent: { model: { kind: 'openai-chat', baseUrl: 'https://elsewhere.test' } } }],
  ['agent.kind', { agent: { kind: 'Another' } }],
  ['client_tools', { client_tools: [{ name: 'fetch', description: 'Fetches.', parameters: {} }] }],
  ['parent', { parent: 'b'.repeat(32) }],
];

test.for(changes)('a %s that was changed next to the log has no effect and is reported', async ([setting, change]) => {
  const store = await stored();
  const before = await metaOf(store);
  const changed = { ...before, ...change, agent: { ...Object(before['agent']), ...Object(change['agent']) } };
  await replaceMeta(store, changed);
  expect((await verify(await store.read(id))).broken).toBeUndefined();
  expect((await verified(await store.read(id), changed)).settings).toMatchObject([{ setting }]);
  const { workspace: known, agent: spec } = before;
  expect(await readSettings(await store.read(id), changed)).toMatchObject({ workspace: known, agent: spec });
  await using conversation = await Conversation.open({ agent: agentWith({}, [record]), store, id });
  expect(conversation.metaDifferences).toMatchObject([{ setting }]);
  expect(conversation.workspace).toBe(workspace);
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  const { workspace: path, agent, client_tools: tools, parent } = await metaOf(store);
  expect([path, agent, tools, parent]).toEqual([before['workspace'], before['agent'], undefined, undefined]);
  expect((await verified(await store.read(id), await metaOf(store))).settings).toEqual([]);
});

test('a log without settings is opened with those next to it, and contains them from then on', async () => {
  const store = memoryStore();
  const meta = { workspace, agent: { confirmation_policy: { kind: 'AlwaysConfirm' }, kind: 'Agent' } };
  await (await store.create(id, meta))[Symbol.asyncDispose]();
  {
    await using conversation = await Conversation.open({ agent: agentWith({}), store, id });
    await conversation.send('Go.');
  }
  await replaceMeta(store, { ...meta, agent: { confirmation_policy: { kind: 'NeverConfirm' }, kind: 'Agent' } });
  await using conversation = await Conversation.open({ agent: agentWith({}, [record]), store, id });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
});

test('a fork, and a fork that another process finishes, has the settings in its log', async () => {
  const store = await stored({});
  const forkId = 'f'.repeat(32);
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  {
    await using conversation = await Conversation.open({ agent: agentWith(careful), store, id });
    await using fork = await conversation.fork({ id: forkId, workspace: root.path });
    expect(fork.state.status).toBe('idle');
  }
  await using log = await store.open(forkId);
  await log.append([], { meta: { workspace, agent: { confirmation_policy: neverConfirm().spec } } });
  await log[Symbol.asyncDispose]();
  await using fork = await Conversation.open({ agent: agentWith({}, [record]), store, id: forkId });
  expect(fork.metaDifferences.map(({ setting }) => setting)).toEqual(['workspace', 'agent.confirmation_policy']);
  expect(fork.workspace).toContain(root.path);
  expect(await fork.run()).toMatchObject({ reason: 'waiting' });
});

test('a conversation is the child that its log names, not the one that the data next to it names', async () => {
  const store = await stored();
  const parentId = 'b'.repeat(32);
  await replaceMeta(store, { ...(await metaOf(store)), parent: parentId });
  await using parent = await Conversation.create({ agent: agentWith({}), store, workspace, id: parentId });
  await expect(parent.child({ id })).rejects.toMatchObject({ code: 'invalid' });
});

test.for([
  ['importing', { importing: true }],
  ['fork', { fork: { of: 'b'.repeat(32), events: 9, leaf: null, imported: true } }],
] as const)(
  'a mark of an unfinished copy (%s) next to a whole log is reported and refused',
  async ([setting, mark]) => {
    const store = await stored();
    const meta = { ...(await metaOf(store)), ...mark };
    await replaceMeta(store, meta);
    expect((await verified(await store.read(id), meta)).settings).toMatchObject([{ setting }]);
    await expect(Conversation.open({ agent: agentWith({}), store, id })).rejects.toMatchObject({ code: 'incomplete' });
  },
);

const unreadable: readonly Json[] = [null, 1, 'x', [], {}, { workspace: 1, agent: {} }, { workspace, agent: null }];

test.for([
  ...unreadable.map((value) => ['varve.settings', value] as const),
  ...unreadable.map((value) => ['varve.import', value] as const),
])('a conversation whose last settings cannot be read is not opened with earlier ones: %s %j', async ([key, value]) => {
  const store = await stored();
  const codec = eventCodec(builtinKinds);
  const add = async (event: { readonly key: string; readonly value: unknown }, eventId: string): Promise<void> => {
    await using log = await store.open(id);
    const parent = (await log.at((await log.head()) - 1)).id;
    const stamp = { id: eventId, timestamp: '2027-01-01T12:00:00.000000', parent_id: parent };
    const made = ConversationStateUpdateEvent.create(event, stamp);
    await log.append([{ id: eventId, kind: made.kind, parentId: parent, text: codec.encode(made) }]);
  };
  const opened = async () => (await Conversation.open({ agent: agentWith({}), store, id }))[Symbol.asyncDispose]();
  await add({ key, value }, 'f0000001');
  await expect(opened()).rejects.toMatchObject({ code: 'not-rebuilt', message: expect.stringContaining(key) });
  const { workspace: path, agent } = await metaOf(store);
  if (key === 'varve.import') await add({ key, value: { events: 1, at: 1 } }, 'f0000002');
  await add({ key: 'varve.settings', value: { workspace: path, agent } }, 'f0000003');
  await opened();
});

test.for(
  ['varve.fork', 'varve.fork_end'].flatMap((key) => [null, 1, {}, { fork: 1 }].map((value) => [key, value] as const)),
)('a fork is not opened with the settings of its origin if %s is %j', async ([key, value]) => {
  const store = await stored();
  const forkId = await (async () => {
    await using origin = await Conversation.open({ agent: agentWith({}), store, id });
    await using fork = await origin.fork({ agent: agentWith({ confirmation: alwaysConfirm() }) });
    await fork.send('Later.');
    return fork.id;
  })();
  const changed = memoryStore();
  {
    await using log = await changed.create(forkId, (await store.summary(forkId)).meta);
    for await (const { text, ...event } of (await store.read(forkId)).range(0)) {
      const json: unknown = JSON.parse(text);
      const isMeant = typeof json === 'object' && json !== null && 'key' in json && json.key === key;
      await log.append([{ ...event, text: isMeant ? JSON.stringify({ ...json, value }) : text }]);
    }
  }
  const open = Conversation.open({ agent: agentWith({}), store: changed, id: forkId });
  await expect(open).rejects.toMatchObject({ code: 'not-rebuilt', message: expect.stringContaining(key) });
});
