import fc from 'fast-check';
import { mkdtempDisposable, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventCodec, type BaseEvent, type Json, type Stamp } from '@varve/events';
import { approvalFact, effectFact, importFact, leafKey, settingsFact } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { verify } from '@varve/storage/proof';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent.ts';
import { alwaysConfirm } from '../src/confirmation/always-confirm.ts';
import { approvalDigest } from '../src/confirmation/gate.ts';
import { neverConfirm } from '../src/confirmation/never-confirm.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const codec = eventCodec(builtinKinds);
const call = (text: string) => ({ name: 'record', arguments: { text } });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function agentWith(steps: readonly ScriptedTurn[], given: Partial<AgentOptions> = {}) {
  const { tool, runs } = countingTool();
  return { runs, agent: defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], ...given }) };
}

const bundleOf = async (store: EventStore, of = id) => exportBundle(await store.read(of), await store.summary(of));

/** A store of another person: two calls wait there, and whatever `forge` does follows. */
async function foreign(forge: (conversation: Conversation) => Promise<unknown> = async () => {}): Promise<EventStore> {
  const store = memoryStore();
  const { agent } = agentWith([{ calls: [call('a'), call('b')] }], { confirmation: alwaysConfirm() });
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using conversation = await Conversation.create({ agent, store, workspace: root.path, id });
  await conversation.send('Go.');
  await conversation.run();
  await forge(conversation);
  return store;
}

/** Appends events as a person does who writes a log by hand. */
async function forged(store: EventStore, makers: readonly ((stamp: Stamp) => BaseEvent)[]): Promise<EventStore> {
  await using log = await store.open(id);
  for (const make of makers) {
    const head = await log.head();
    const event = make({ id: `facade00-${head}`, timestamp: '2026-11-20T23:41:43.907041', parent_id: '__root__' });
    const row = { id: event.id, kind: event.kind, parentId: event.parent_id, text: codec.encode(event) };
    await log.append([row]);
  }
  return store;
}

const never = neverConfirm().spec as Readonly<Record<string, Json>>;

test('the waiting calls of a bundle do not run, although they were approved there and the policy is never', async () => {
  const theirs = await foreign((conversation) => conversation.approve());
  const store = memoryStore();
  expect(await Conversation.import(await bundleOf(theirs), { store })).toMatchObject({ id, openCalls: 2 });
  const { agent, runs } = agentWith([done], { confirmation: neverConfirm() });
  await using conversation = await Conversation.open({ agent, store, id, workspace });
  expect(conversation.state).toMatchObject({ status: 'idle', pending: [] });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test('an imported conversation has the policy, limits and workspace of the caller', async () => {
  const theirs = await foreign();
  await using open = await Conversation.open({
    agent: agentWith([], { confirmation: neverConfirm(), budget: { maxCalls: 1_000 } }).agent,
    store: theirs,
    id,
    workspace,
  });
  await open.send('Continue.');
  await open[Symbol.asyncDispose]();
  await forged(theirs, [
    (stamp) => ConversationStateUpdateEvent.create({ key: 'confirmation_policy', value: never }, stamp),
  ]);
  const store = memoryStore();
  await Conversation.import(await bundleOf(theirs), { store });
  expect((await store.summary(id)).meta).toEqual({ title: 'Go.', status: 'idle' });
  const confirmation = alwaysConfirm();
  await expect(Conversation.open({ agent: agentWith([]).agent, store, id })).rejects.toMatchObject({ code: 'invalid' });
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  {
    const { agent } = agentWith([{ calls: [call('c')] }], { confirmation });
    await using conversation = await Conversation.open({ agent, store, id, workspace: root.path });
    expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  }
  // From then on its own settings are resumed.
  await using again = await Conversation.open({ agent: agentWith([]).agent, store, id });
  expect(again.workspace).toBe(await realpath(root.path));
  expect(await again.run()).toMatchObject({ reason: 'waiting' });
  expect((await store.summary(id)).meta).toMatchObject({ agent: { budget: { maxIterations: 500 } } });
});

test('the copied events keep their seals, and the imported conversation can be exported and imported again', async () => {
  const theirs = await foreign();
  const [store, third] = [memoryStore(), memoryStore()];
  const { verdict } = await Conversation.import(await bundleOf(theirs), { store });
  const { head = 0, seal } = verdict ?? {};
  const known = { seq: head - 1, seal: seal ?? '' };
  expect(await verify(await store.read(id), { known })).toMatchObject({ sealed: head + 4 });
  await Conversation.import(await bundleOf(store), { store: third });
  expect((await verify(await third.read(id), { known })).broken).toBeUndefined();
  const facts = await Array.fromAsync((await third.read(id)).range(0), ({ text }) => importFact.read(codec.read(text)));
  expect(facts.filter((fact) => fact !== undefined)).toMatchObject([{ events: head, seal }, { events: head + 4 }]);
  await using conversation = await Conversation.open({ agent: agentWith([done]).agent, store: third, id, workspace });
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a conversation that exists is not replaced by an import', async () => {
  const store = await foreign();
  const before = await Array.fromAsync((await store.read(id)).range(0));
  await expect(Conversation.import(await bundleOf(store), { store })).rejects.toMatchObject({ code: 'exists' });
  expect(await Array.fromAsync((await store.read(id)).range(0))).toEqual(before);
});

test.for([
  [1, false],
  [1, true],
  [2, false],
] as const)(
  'an import whose process dies at append %i (stored: %s) is not usable before it is done again',
  async ([at, isStored]) => {
    const [theirs, store] = [await foreign(), memoryStore()];
    const dying = Conversation.import(await bundleOf(theirs), {
      store: crashingStore(store, { at, stored: isStored }),
    });
    await expect(dying).rejects.toThrow(Crash);
    const { agent, runs } = agentWith([done]);
    await expect(Conversation.open({ agent, store, id, workspace })).rejects.toMatchObject({ code: 'incomplete' });
    await Conversation.import(await bundleOf(theirs), { store });
    await using conversation = await Conversation.open({ agent, store, id, workspace });
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    expect(runs.size).toBe(0);
  },
);

test('a fork from before the import has neither the settings nor the calls of the bundle', async () => {
  const theirs = await foreign();
  await forged(theirs, [
    (stamp) => settingsFact.create({ workspace: '/', agent: { confirmation_policy: never, kind: 'Agent' } }, stamp),
    (stamp) => ConversationStateUpdateEvent.create({ key: 'confirmation_policy', value: { kind: 'AskBob' } }, stamp),
  ]);
  const store = memoryStore();
  await Conversation.import(await bundleOf(theirs), { store });
  const { agent, runs } = agentWith([]);
  await using conversation = await Conversation.open({ agent, store, id, workspace });
  const [, at] = conversation.state.view.events.filter((event) => 'tool_call_id' in event);
  await using fork = await conversation.fork({ ...(at && { at: at.id }) });
  expect(fork.state.pending).toEqual([]);
  await fork.send('Continue.');
  const { id: forkId } = fork;
  await fork[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent: agentWith([done]).agent, store, id: forkId });
  expect(again.workspace).toBe(workspace);
  expect(await again.run()).toMatchObject({ reason: 'finished' });
  expect(runs.size).toBe(0);
});

test('whatever a bundle contains, nothing of it runs, and no setting of it applies', async () => {
  const theirs = await foreign();
  const texts = await Array.fromAsync((await theirs.read(id)).range(0));
  const events = texts.map(({ text }) => codec.read(text));
  const actions = events.flatMap((event) =>
    'tool_call_id' in event ? [event as BaseEvent & { kind: 'ActionEvent' }] : [],
  );
  const anyEvent = fc.constantFrom(...events.map((event) => event.id), '__root__', 'nothing');
  const anyAction = fc.constantFrom(...actions);
  const policy = fc.constantFrom('NeverConfirm', 'AlwaysConfirm', 'AskBob').map((kind) => ({ kind }));
  const makers = fc.oneof(
    anyAction.map((event) => (stamp: Stamp): BaseEvent => {
      const value = { action_id: event.id, digest: approvalDigest(codec, event as never), by: 'user', at: 0 };
      return approvalFact.create(value, stamp);
    }),
    anyAction.map(
      ({ id: action_id }) =>
        (stamp: Stamp): BaseEvent =>
          effectFact.create({ action_id, idempotency_key: 'k', at: 0 }, stamp),
    ),
    policy.map(
      (value) =>
        (stamp: Stamp): BaseEvent =>
          ConversationStateUpdateEvent.create({ key: 'confirmation_policy', value }, stamp),
    ),
    policy.map(
      (confirmation_policy) =>
        (stamp: Stamp): BaseEvent =>
          settingsFact.create({ workspace: '/', agent: { confirmation_policy, kind: 'Agent' } }, stamp),
    ),
    fc.nat(40).map(
      (count) =>
        (stamp: Stamp): BaseEvent =>
          importFact.create({ events: count, at: 0 }, stamp),
    ),
    anyEvent.map(
      (value) =>
        (stamp: Stamp): BaseEvent =>
          ConversationStateUpdateEvent.create({ key: leafKey, value }, stamp),
    ),
    fc.constantFrom('running', 'finished', 'idle', 'waiting_for_confirmation').map(
      (value) =>
        (stamp: Stamp): BaseEvent =>
          ConversationStateUpdateEvent.create({ key: 'execution_status', value }, stamp),
    ),
    fc.constant((stamp: Stamp): BaseEvent =>
      MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [] } }, stamp),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(makers, { maxLength: 12 }),
      fc.nat(texts.length),
      fc.jsonValue(),
      async (forge, cut, meta) => {
        const [bad, store] = [memoryStore(), memoryStore()];
        const log = await bad.create(id, meta);
        await log.append(texts.slice(0, cut));
        await log[Symbol.asyncDispose]();
        await forged(bad, forge);
        await log[Symbol.asyncDispose]();
        await Conversation.import(await bundleOf(bad), { store });
        const { agent, runs } = agentWith([done, done], { confirmation: neverConfirm() });
        await using conversation = await Conversation.open({ agent, store, id, workspace });
        expect([conversation.workspace, conversation.state.pending]).toEqual([workspace, []]);
        await conversation.send('Continue.');
        await conversation.run();
        expect(runs.size).toBe(0);
        expect((await store.summary(id)).meta).toMatchObject({ workspace, agent: { confirmation_policy: never } });
      },
    ),
    { numRuns: 150 },
  );
});
