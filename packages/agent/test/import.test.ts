import fc from 'fast-check';
import { mkdtempDisposable, readdir, realpath, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { eventCodec, type BaseEvent, type Json, type Stamp } from '@varve/events';
import { importFact, leafKey, settingsFact, taskFact } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { exportBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm, neverConfirm } from '../src/confirmation/policies.ts';
import { approvalDigest } from '../src/confirmation/gate.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { conversationTimeline } from '../src/log/conversation-state.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const codec = eventCodec(builtinKinds);
const call = (text: string) => ({ name: 'record', arguments: { text } });
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function agentWith(steps: readonly ScriptedTurn[], changes: Partial<AgentOptions> = {}) {
  const { tool, runs } = countingTool();
  return { runs, agent: defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], ...changes }) };
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

test.for([
  [{}, 'Go.'],
  [{ title: 'Set.' }, 'Set.'],
  [{ title: 5 }, 'Go.'],
] as const)('a bundle with the meta %j is listed as %j', async ([meta, title]) => {
  const from = await foreign();
  const bundle = exportBundle(await from.read(id), { ...(await from.summary(id)), meta });
  const store = memoryStore();
  await Conversation.import(bundle, { store });
  expect((await store.summary(id)).meta).toMatchObject({ title });
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

test.for([0, 20])(
  'an import whose process died within the file of an event (%i bytes) can be done again',
  async (length) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const theirs = await foreign();
    {
      await using store = await directoryStore({ path: root.path });
      const dying = crashingStore(store, { at: 1, stored: true });
      await expect(Conversation.import(await bundleOf(theirs), { store: dying })).rejects.toThrow(Crash);
    }
    const events = join(root.path, id, 'events');
    const [last = ''] = (await readdir(events)).toSorted().slice(-1);
    await truncate(join(events, last), length);
    await using store = await directoryStore({ path: root.path });
    expect(await Conversation.import(await bundleOf(theirs), { store })).toMatchObject({ openCalls: 2 });
    await using conversation = await Conversation.open({ agent: agentWith([done]).agent, store, id, workspace });
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  },
);

test('a marked conversation that has other events than the bundle is not replaced', async () => {
  const store = await foreign();
  const bundle = await Array.fromAsync(await bundleOf(store));
  await using log = await store.open(id);
  const [first] = await Array.fromAsync(log.range(0, 1));
  await log.append([
    { ...first, id: 'another', text: (first?.text ?? '').replace(first?.id ?? '', 'another') } as never,
  ]);
  await log.append([], { meta: { importing: true } });
  await log[Symbol.asyncDispose]();
  const again = Conversation.import(Readable.from(bundle), { store });
  await expect(again).rejects.toMatchObject({ code: 'exists' });
});

/** A goal of another person, and a task, which is a child of theirs. */
const steering: readonly ((stamp: Stamp) => BaseEvent)[] = [
  (stamp) => {
    const goal = { active: true, status: 'running', iteration: 0, max_iterations: 9, objective: 'Theirs.' };
    return ConversationStateUpdateEvent.create({ key: 'goal', value: { ...goal, verdict: null } }, stamp);
  },
  (stamp) => taskFact.create({ task_id: 't', conversation_id: 'b'.repeat(32), sub_agent: 'x', at: 0 }, stamp),
];

test.for([undefined, { at: 3, stored: true }])(
  'a fork from before the import has no goal and no task of the bundle, also after a crash: %o',
  async (crash) => {
    const said = { source: 'user', llm_message: { role: 'user', content: [] } } as const;
    const theirs = await forged(await foreign(), [...steering, (stamp) => MessageEvent.create(said, stamp)]);
    const [at = ''] = await Array.fromAsync((await theirs.read(id)).range(0), ({ id: eventId }) => eventId).then(
      (ids) => ids.slice(-1),
    );
    const [store, forkId] = [memoryStore(), 'f'.repeat(32)];
    await Conversation.import(await bundleOf(theirs), { store });
    const used = crash ? crashingStore(store, crash) : store;
    await using origin = await Conversation.open({ agent: agentWith([]).agent, store: used, id, workspace });
    await origin.fork({ id: forkId, at }).then(
      (fork) => fork[Symbol.asyncDispose](),
      (error: unknown) => expect(error).toBeInstanceOf(Crash),
    );
    await using fork = await Conversation.open({ agent: agentWith([]).agent, store, id: forkId });
    expect([fork.workspace, fork.goal.state]).toEqual([workspace, undefined]);
    const timeline = conversationTimeline(codec);
    await timeline.load(async function* (from) {
      yield* (await store.read(forkId)).range(from);
    });
    expect(timeline.read('tasks')).toEqual([]);
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

/** Facts and state updates with values that would widen what runs, for the events of a log. */
function hostileUpdates(events: readonly BaseEvent[]) {
  const actions = events.filter((event) => event.kind === 'ActionEvent');
  const anyEvent = fc.constantFrom(...events.map(({ id: eventId }) => eventId), '__root__', 'nothing');
  const anyAction = fc.constantFrom(...actions);
  const anyCount = fc.oneof(fc.nat(40), fc.constantFrom(1e9, Number.MAX_SAFE_INTEGER));
  const policy = fc.constantFrom('NeverConfirm', 'AlwaysConfirm', 'AskBob').map((kind) => ({ kind }));
  const settings = policy.map((confirmation_policy) => ({
    workspace: '/',
    agent: { confirmation_policy, budget: { maxIterations: 1e9, maxCalls: 1e9 }, stuck: 'never', kind: 'Agent' },
  }));
  const usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
  const spent = { calls: 0, unpriced_calls: 0, cost_usd: 0, latency_ms: 0, usage, at: 0 };
  const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    'varve.approval': anyAction.map((event) => {
      return { action_id: event.id, digest: approvalDigest(codec, event as never), by: 'user', at: 0 };
    }),
    'varve.effect': anyEvent.map((action_id) => ({ action_id, idempotency_key: 'k', at: 0 })),
    'varve.review': anyEvent.map((action_id) => ({ calls: [{ action_id, asks: false }] })),
    'varve.settings': settings,
    'varve.import': anyCount.map((count) => ({ events: count, at: 0 })),
    'varve.fork': fc.record({
      of: fc.constantFrom(id, 'b'.repeat(32)),
      events: anyCount,
      leaf: anyEvent,
      settings,
      at: fc.nat(),
    }),
    'varve.fork_end': anyEvent.map((fork) => ({ fork, at: 0 })),
    'varve.child': fc.constantFrom(id, 'b'.repeat(32)).map((conversation_id) => ({ ...spent, conversation_id })),
    'varve.call': fc.record({
      response_id: fc.constantFrom('r', 'other'),
      actions: fc.subarray(actions.map(({ id: eventId }) => eventId)),
      usage_id: fc.constantFrom('agent', 'condenser'),
      model: fc.constant('m'),
      finish: fc.constantFrom('stop', 'tool_calls'),
      cost_usd: fc.constantFrom(0, 1e9),
      latency_ms: fc.constant(0),
      digests: fc.constant({ messages: '', tools: '', parameters: '' }),
      projections: fc.constant({}),
      at: fc.nat(),
    }),
    'varve.control': fc.record({
      action_id: anyEvent,
      control: fc.constantFrom('transfer', 'escalate'),
      agent: fc.constantFrom('other', 'agent'),
      reason: fc.constant('Go.'),
      at: fc.nat(),
    }),
    'varve.task': fc.record({
      task_id: fc.constantFrom('1', '2'),
      conversation_id: fc.constantFrom(id, 'b'.repeat(32)),
      sub_agent: fc.constant('default'),
      at: fc.nat(),
    }),
    'varve.run': fc.record({ state: fc.constantFrom('begun', 'ended'), at: fc.integer() }),
    'varve.mask': anyEvent.map((eventId) => ({ event_ids: [eventId], text: 'Left out.' })),
    'varve.toolset': fc.constant({ digest: 'aa', tools: [] }),
    goal: fc.record({
      active: fc.boolean(),
      status: fc.constantFrom('running', 'interrupted'),
      iteration: fc.nat(3),
      max_iterations: fc.constant(9),
      objective: fc.constant('Record.'),
    }),
    confirmation_policy: policy,
    security_analyzer: fc.constant({ kind: 'LLMSecurityAnalyzer' }),
    [leafKey]: anyEvent,
    execution_status: fc.constantFrom('running', 'finished', 'idle', 'waiting_for_confirmation'),
    full_state: policy.map((confirmation) => ({ confirmation_policy: confirmation, execution_status: 'idle' })),
  };
  return fc.constantFrom(...Object.keys(values)).chain((key) =>
    (values[key] ?? fc.constant(null)).map(
      (value) =>
        (stamp: Stamp): BaseEvent =>
          ConversationStateUpdateEvent.create({ key, value }, stamp),
    ),
  );
}

test('whatever a bundle contains at any position, nothing of it runs, and no setting of it applies', async () => {
  const theirs = await foreign();
  const texts = await Array.fromAsync((await theirs.read(id)).range(0));
  const forgery = fc.record({
    at: fc.nat(texts.length),
    make: fc.oneof(
      { weight: 9, arbitrary: hostileUpdates(texts.map(({ text }) => codec.read(text))) },
      fc.constant((stamp: Stamp): BaseEvent =>
        MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [] } }, stamp),
      ),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(forgery, { maxLength: 12 }),
      fc.nat(texts.length),
      fc.jsonValue(),
      async (forgeries, cut, meta) => {
        const [bad, store] = [memoryStore(), memoryStore()];
        await (await bad.create(id, meta))[Symbol.asyncDispose]();
        for (let at = 0; at <= cut; at += 1) {
          await forged(
            bad,
            forgeries.flatMap((attempt) => (attempt.at === at ? [attempt.make] : [])),
          );
          await using log = await bad.open(id);
          await log.append(texts.slice(at, Math.min(at + 1, cut)));
        }
        await Conversation.import(await bundleOf(bad), { store });
        const confirmation = alwaysConfirm();
        const again = agentWith([{ calls: [call('c')] }, done], { confirmation, budget: { maxIterations: 1 } });
        await using conversation = await Conversation.open({ agent: again.agent, store, id, workspace });
        expect([conversation.workspace, conversation.state.pending]).toEqual([workspace, []]);
        expect(conversation.goal.state).toBeUndefined();
        await conversation.send('Continue.');
        expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
        const { agent } = Object((await store.summary(id)).meta) as { readonly agent: unknown };
        expect(agent).toMatchObject({ confirmation_policy: confirmation.spec, budget: { maxIterations: 1 } });
        const first = conversation.state.view.events.find((event) => event.kind === 'ActionEvent');
        await conversation.navigate(first?.id);
        expect(conversation.state.pending).toEqual([]);
        expect(again.runs.size).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
