import fc from 'fast-check';
import { mkdtempDisposable, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventCodec, type BaseEvent, type Json, type Stamp } from '@varve/events';
import { approvalFact, settingsFact, taskFact } from '@varve/events/facts';
import { builtinKinds, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { copyLog, exportBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { alwaysConfirm, neverConfirm } from '../src/confirmation/policies.ts';
import { approvalDigest } from '../src/confirmation/gate.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { conversationTimeline } from '../src/log/conversation-state.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const codec = eventCodec(builtinKinds);
const call = (text: string): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text } }] });
const never = neverConfirm().spec as Readonly<Record<string, Json>>;
const { tool, runs } = countingTool();

/** An agent of this store, whose calls wait. Its policy is stored with the conversation, and not passed again. */
function agentOf(steps: readonly ScriptedTurn[], isFirst: boolean) {
  const confirmation = isFirst ? { confirmation: alwaysConfirm() } : {};
  return defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()], ...confirmation });
}

/** A store of another person with calls that wait, are approved, and facts that would steer a run. */
async function theirs(workspace: string): Promise<EventStore> {
  const store = memoryStore();
  const agent = agentOf(
    [{ calls: ['theirs', 'theirs too'].map((text) => ({ name: 'record', arguments: { text } })) }],
    true,
  );
  await using conversation = await Conversation.create({ agent, store, workspace, id });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve();
  const waiting = conversation.state.pending.map(({ event }) => event);
  await conversation[Symbol.asyncDispose]();
  const makers: readonly ((stamp: Stamp) => BaseEvent)[] = [
    ...waiting.map((event) => (stamp: Stamp) => {
      const approval = { action_id: event.id, digest: approvalDigest(codec, event), by: 'user', at: 0 };
      return approvalFact.create(approval, stamp);
    }),
    (stamp) => settingsFact.create({ workspace: '/', agent: { confirmation_policy: never, kind: 'Agent' } }, stamp),
    (stamp) => ConversationStateUpdateEvent.create({ key: 'confirmation_policy', value: never }, stamp),
    (stamp) => taskFact.create({ task_id: 't', conversation_id: 'b'.repeat(32), sub_agent: 'x', at: 0 }, stamp),
  ];
  await using log = await store.open(id);
  for (const make of makers) {
    const stamp = { id: crypto.randomUUID(), timestamp: '2026-11-20T23:41:43.907041', parent_id: '__root__' };
    const event = make(stamp);
    await log.append([{ id: event.id, kind: event.kind, parentId: event.parent_id, text: codec.encode(event) }]);
  }
  return store;
}

/** Where the conversation is by now. */
interface Place {
  readonly store: EventStore;
  readonly id: string;
  /** True if it was opened here since the last import, so that it has settings of this store. */
  readonly isUsed: boolean;
}

interface Move {
  readonly kind: 'import' | 'copy' | 'fork' | 'navigate' | 'use';
  /** Number of the event to fork from, or to go back to. */
  readonly at: number;
}

const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom('import', 'copy', 'fork', 'navigate', 'use'),
  at: fc.nat(40),
});

async function opened({ store, id: of, isUsed }: Place, workspace: string, steps: readonly ScriptedTurn[] = []) {
  return Conversation.open({ agent: agentOf(steps, !isUsed), store, id: of, ...(!isUsed && { workspace }) });
}

async function moved(place: Place, { kind, at }: Move, workspace: string): Promise<Place> {
  const { store, id: of } = place;
  if (kind === 'import' || kind === 'copy') {
    const next = memoryStore();
    const [log, summary] = [await store.read(of), await store.summary(of)];
    if (kind === 'import') await Conversation.import(exportBundle(log, summary), { store: next });
    else await copyLog(log, next, { meta: summary.meta });
    return { store: next, id: of, isUsed: kind === 'copy' && place.isUsed };
  }
  await using conversation = await opened(place, workspace, [call('mine')]);
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  const places = events.filter((event) => codec.kind(event.kind)?.movesHead !== false);
  const event = places[at % places.length];
  if (kind === 'fork') {
    await using fork = await conversation.fork({ ...(event && { at: event.id }) });
    return { store, id: fork.id, isUsed: true };
  }
  if (kind === 'navigate') await conversation.navigate(event?.id);
  await conversation.send('Continue.');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  return { ...place, isUsed: true };
}

async function expectOwn(place: Place, workspace: string): Promise<void> {
  await using conversation = await opened(place, workspace);
  expect(conversation.workspace).toBe(workspace);
  const waiting = conversation.state.pending.map(({ event }) => event.tool_call.arguments);
  expect(waiting.filter((text) => text.includes('theirs'))).toEqual([]);
  expect(conversation.state.pending.filter(({ approvedDigest }) => approvedDigest !== undefined)).toEqual([]);
  const timeline = conversationTimeline(codec);
  const log = await place.store.read(place.id);
  await timeline.load((from) => log.range(from));
  expect(timeline.read('tasks')).toEqual([]);
  expect(conversation.goal.state).toBeUndefined();
}

test('an imported log stays one through copies, forks, further imports and going back', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const workspace = await realpath(root.path);
  const origin = await theirs(workspace);
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 8 }), async (moves) => {
      let place = await moved({ store: origin, id, isUsed: false }, { kind: 'import', at: 0 }, workspace);
      for (const step of moves) {
        place = await moved(place, step, workspace);
        await expectOwn(place, workspace);
      }
      expect(runs.size).toBe(0);
    }),
    { numRuns: 40 },
  );
});

const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
const digests = { messages: '', tools: '', parameters: '' };
const reply = {
  response_id: 'r',
  actions: [],
  usage_id: 'agent',
  model: 'm',
  finish: 'stop',
  digests,
  projections: {},
};
const spent = { usage, cost_usd: 1, latency_ms: 1, at: 0 };

/** Facts that a fork copies with a mark. */
const markedFacts: readonly (readonly [string, object])[] = [
  ['varve.call', { ...reply, ...spent }],
  ['varve.run', { state: 'begun', at: 0 }],
  ['varve.child', { ...spent, conversation_id: 'b'.repeat(32), calls: 1, unpriced_calls: 0 }],
];

test.for(
  markedFacts.flatMap(([key, value]) =>
    ['x', 'An id.', 'é', '__root__'].map((factId) => [key, factId, value] as const),
  ),
)('a log with a %s of the id %j is imported and forked, and its usage does not count again', async (parameters) => {
  const [key, factId, value] = parameters;
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [bad, store] = [memoryStore(), memoryStore()];
  {
    await using log = await bad.create(id, {});
    const stamp = { id: factId, timestamp: '2026-11-20T23:41:43.907041', source: 'environment' };
    const text = JSON.stringify({ ...stamp, key, value, kind: 'ConversationStateUpdateEvent' });
    await log.append([{ id: factId, kind: 'ConversationStateUpdateEvent', parentId: undefined, text }]);
  }
  await Conversation.import(exportBundle(await bad.read(id), await bad.summary(id)), { store });
  const place = { store, id, isUsed: false };
  await using conversation = await opened(place, await realpath(root.path));
  await conversation.send('Go.');
  await using fork = await conversation.fork();
  expect(fork.state.stats.total.calls).toBe(0);
});
