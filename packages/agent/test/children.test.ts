import { expect, test } from 'vitest';
import * as z from 'zod';
import { childFact, runFact } from '@varve/events/facts';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import type { Budget } from '../src/budget/limits.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import type { ChildOptions } from '../src/conversation/child-conversation.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import type { CreateOptions } from '../src/conversation/conversation-options.ts';
import { readState } from '../src/log/read-log.ts';
import type { RunResult } from '../src/run/run-result.ts';
import { crashingStore } from '../src/testing/crashing-store.ts';

const used = { costUsd: 0.25, usage: { input_tokens: 90, output_tokens: 10 } };
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }], ...used };
/** Keeps a conversation busy without repeating itself. */
const busy = (count: number): readonly ScriptedTurn[] =>
  Array.from({ length: count }, (_, index) => ({ calls: [{ name: 'look', arguments: { at: `${index}` } }], ...used }));
const hang: ScriptedTurn = { fault: { kind: 'hang', afterPieces: 0 } };
/** A timeout that never fires: only the clock that is read between steps ends a run. */
const never = (): AbortSignal => new AbortController().signal;
const [parentId, childId] = ['a'.repeat(32), 'b'.repeat(32)];

const look = () =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ at: z.string().describe('At what.') }),
    effect: 'read',
    execute: async ({ at }) => `${at} is there.`,
  });

const agentOf = (steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [look(), finish()], ...options });

interface Family extends Partial<Omit<CreateOptions, 'agent'>> {
  readonly budget?: Partial<Budget>;
  /** Body of the `delegate` tool of the parent. */
  readonly delegate?: (parent: Conversation) => Promise<unknown>;
  readonly steps?: readonly ScriptedStep[];
}

/** A conversation whose model calls `delegate` once, then `look` up to 20 times. */
async function parentOf({ budget, delegate = async () => {}, steps, ...options }: Family = {}): Promise<Conversation> {
  const delegating = defineTool({
    name: 'delegate',
    description: 'Delegates work.',
    input: z.object({}),
    effect: 'write',
    execute: async () => {
      await delegate(parent);
      return 'They are done.';
    },
  });
  const script = steps ?? [{ calls: [{ name: 'delegate', arguments: {} }], ...used }, ...busy(20)];
  const agent = agentOf(script, { tools: () => [delegating, look(), finish()], ...(budget && { budget }) });
  const made = { store: memoryStore(), workspace: process.cwd(), id: parentId, ...options };
  const parent = await Conversation.create({ ...made, agent });
  await parent.send('Go.');
  return parent;
}

async function work(parent: Conversation, steps: readonly ScriptedStep[], options: ChildOptions = {}) {
  const child = await parent.child({ agent: agentOf(steps), ...options });
  await child.send('Help.');
  return { child, result: await child.run() };
}

test('usage of a child counts for its parent, during its run and after a restart', async () => {
  const store = memoryStore();
  const seen: number[] = [];
  await using parent = await parentOf({
    store,
    delegate: async (self) => {
      const watching = (): ScriptedTurn => {
        seen.push(self.state.stats.total.calls);
        return done;
      };
      await work(self, [...busy(2), watching], { id: childId });
    },
  });
  const { usage } = await parent.run({ maxIterations: 5 });
  expect(seen).toEqual([3]);
  expect(usage).toMatchObject({ calls: 5, input_tokens: 450, output_tokens: 50, cost_usd: 1.25 });
  const { stats } = await readState(await store.read(parentId));
  expect(stats.total).toEqual(usage);
  expect([stats.byUsageId['agent']?.calls, stats.byUsageId[`child:${childId}`]?.calls]).toEqual([2, 3]);
  expect((await readState(await store.read(childId))).stats.total.calls).toBe(3);
});

test.for([
  [{ maxCostUsd: 1 }, 'max-cost'],
  [{ maxTokens: 400 }, 'max-tokens'],
  [{ maxCalls: 4 }, 'max-calls'],
] as const)(
  'a child and its own child share what is left of %j, and after that no run starts',
  async ([budget, reason]) => {
    const ends: RunResult[] = [];
    await using parent = await parentOf({
      budget,
      delegate: async (self) => {
        const { child } = await work(self, [...busy(1), done]);
        ends.push((await work(child, busy(20))).result);
        ends.push((await work(self, busy(20))).result);
      },
    });
    ends.push(await parent.run());
    expect(ends.map((end) => [end.reason, end.iterations])).toEqual([
      [reason, 1],
      [reason, 0],
      [reason, 1],
    ]);
    expect(parent.state.stats.total.calls).toBe(4);
  },
);

test.for([
  [{ maxIterations: 4 }, 'max-iterations'],
  [{ maxCostUsd: 1 }, 'max-cost'],
  [{ maxTokens: 400 }, 'max-tokens'],
] as const)('a child gets what is left of %j of a run, and the next run starts from zero', async ([limits, reason]) => {
  const ends: RunResult[] = [];
  await using parent = await parentOf({
    delegate: async (self) => {
      const { child, result } = await work(self, busy(20), { id: childId });
      await child[Symbol.asyncDispose]();
      ends.push(result);
    },
  });
  ends.push(await parent.run(limits));
  expect(ends.map((end) => [end.reason, end.iterations])).toEqual([
    [reason, 3],
    [reason, 1],
  ]);
  const again = await parent.child({ id: childId, agent: agentOf([done]) });
  expect(again.state.error?.detail).toContain(`parent conversation ${parentId}`);
  expect(await again.run()).toMatchObject({ reason: 'finished' });
});

test.for([{ maxCalls: 6 }, { maxIterations: 6 }])('concurrent children cannot spend %j twice', async (limit) => {
  const results: RunResult[] = [];
  await using parent = await parentOf({
    ...('maxCalls' in limit && { budget: limit }),
    delegate: async (self) => {
      const all = await Promise.all([1, 2, 3].map(() => work(self, busy(20))));
      results.push(...all.map(({ result }) => result));
    },
  });
  const end = await parent.run('maxIterations' in limit ? limit : {});
  expect(results.reduce((sum, { iterations }) => sum + iterations, 1)).toBe(6);
  expect(end.usage.calls).toBe(6);
});

test('a reply in flight of a conversation counts for its children', async () => {
  const ends: RunResult[] = [];
  const duringCall = async (): Promise<ScriptedTurn> => {
    await work(parent, [done], { id: childId });
    ends.push((await work(parent, busy(20))).result);
    return done;
  };
  await using parent = await parentOf({ budget: { maxCalls: 2 }, steps: [duringCall] });
  ends.push(await parent.run());
  expect(ends.map(({ reason, iterations }) => [reason, iterations])).toEqual([
    ['max-calls', 0],
    ['finished', 1],
  ]);
  expect(parent.state.stats.total.calls).toBe(2);
});

test('a child created between runs has the budget of its parent, and no run limits', async () => {
  await using parent = await parentOf({ budget: { maxCalls: 3, maxIterations: 1 } });
  const { result } = await work(parent, busy(20), { agent: agentOf(busy(20), { budget: { maxIterations: 9 } }) });
  expect(result).toMatchObject({ reason: 'max-calls', iterations: 3 });
  expect(await parent.run()).toMatchObject({ reason: 'max-calls', iterations: 0 });
});

test('time during concurrent runs counts once, also between runs of the parent', async () => {
  let at = 1_770_000_000_000;
  const slow = (): ScriptedTurn => {
    at += 500;
    return done;
  };
  const store = memoryStore();
  await using parent = await parentOf({ store, now: () => at, timeout: never, budget: { maxMs: 1200 } });
  const gate = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  const waits = async (): Promise<ScriptedTurn> => {
    isAsked.resolve();
    await gate.promise;
    return slow();
  };
  const waiting = work(parent, [waits]);
  await isAsked.promise;
  await work(parent, [slow]);
  gate.resolve();
  await waiting;
  expect(parent.state.activeMs).toBe(1000);
  const facts = await Array.fromAsync(parent.events(), ({ event }) => runFact.read(event)?.state ?? []);
  expect(facts.flat()).toEqual(['begun', 'ended']);
  const { result } = await work(parent, [() => ({ ...slow(), ...busy(1)[0] }), done]);
  expect(result).toMatchObject({ reason: 'max-time', iterations: 1 });
  expect(await parent.run()).toMatchObject({ reason: 'max-time', iterations: 0, activeMs: 1500 });
});

test("the time limit of the parent's run applies to the child", async () => {
  const ends: RunResult[] = [];
  const timers: AbortController[] = [];
  const timeout = (): AbortSignal => {
    const timer = new AbortController();
    timers.push(timer);
    return timer.signal;
  };
  const late = (): ScriptedTurn => {
    timers[0]?.abort();
    return hang;
  };
  await using parent = await parentOf({
    timeout,
    delegate: async (self) => void ends.push((await work(self, [late])).result),
  });
  ends.push(await parent.run({ maxMs: 60_000 }));
  expect(ends.map(({ reason }) => reason)).toEqual(['max-time', 'max-time']);
});

test.for(['a run', 'a run that a person paused'])('leaving %s stores no end that no person wanted', async (kind) => {
  const left = kind === 'a run';
  const children: Conversation[] = [];
  const hanging = (): ScriptedTurn => {
    if (!left) parent.pause();
    void parent.leave(AbortSignal.abort());
    return hang;
  };
  await using parent = await parentOf({
    delegate: async (self) => void children.push((await work(self, [hanging])).child),
  });
  expect((await parent.run()).reason).toBe('interrupted');
  const stored = [parent, ...children].map(({ state }) => state.status);
  expect(stored).toEqual(left ? ['running', 'running'] : ['paused', 'paused']);
  const kinds = await Array.fromAsync(parent.events(), ({ event }) => event.kind);
  expect(kinds.includes('InterruptEvent')).toBe(!left);
  // The next run continues as after a crash.
  expect((await parent.run({ maxIterations: 1 })).iterations).toBe(1);
});

test('a run that is left in time ends after its step, which is stored', async () => {
  await using parent = await parentOf({ delegate: async (self) => void self.leave(new AbortController().signal) });
  expect(await parent.run()).toMatchObject({ reason: 'paused', iterations: 1 });
  expect(parent.state.status).toBe('running');
  const kinds = await Array.fromAsync(parent.events(), ({ event }) => event.kind);
  expect(kinds).toContain('ObservationEvent');
  expect(kinds).not.toContain('PauseEvent');
});

test('interrupting a run interrupts the runs of its children', async () => {
  const ends: RunResult[] = [];
  const hanging = (): ScriptedTurn => {
    void parent.interrupt();
    return hang;
  };
  await using parent = await parentOf({
    delegate: async (self) => void ends.push((await work(self, [hanging])).result),
  });
  ends.push(await parent.run());
  expect(ends.map(({ reason }) => reason)).toEqual(['interrupted', 'interrupted']);
});

test('closing a conversation closes its children, and no more can be created', async () => {
  const store = memoryStore();
  const parent = await parentOf({ store });
  const { child } = await work(parent, [done], { id: childId });
  await parent[Symbol.asyncDispose]();
  await expect(child.send('More.')).rejects.toMatchObject({ code: 'closed' });
  await expect(parent.child()).rejects.toMatchObject({ code: 'closed' });
  for (const id of [parentId, childId]) {
    const free = await store.open(id);
    await free[Symbol.asyncDispose]();
  }
});

test('a conversation closes while its run waits for a child that started earlier', async () => {
  const begun = Promise.withResolvers<void>();
  const parent = await parentOf({
    delegate: async () => {
      begun.resolve();
      await running;
    },
  });
  const child = await parent.child({ agent: agentOf([hang]) });
  await child.send('Help.');
  const running = child.run();
  const waiting = parent.run();
  await begun.promise;
  await parent[Symbol.asyncDispose]();
  expect([(await running).reason, (await waiting).reason]).toEqual(['interrupted', 'interrupted']);
});

test('a child has the secrets and the policy of its parent in addition to its own', async () => {
  const store = memoryStore();
  const agent = agentOf([], { confirmation: alwaysConfirm() });
  await using parent = await Conversation.create({ agent, store, workspace: process.cwd(), secrets: ['swordfish'] });
  const child = await parent.child({ agent: agentOf(busy(1)), secrets: ['herring'], id: childId });
  await child.send('A swordfish, a herring.');
  expect((await child.run()).reason).toBe('waiting');
  const texts = await Array.fromAsync((await store.read(childId)).range(0), ({ text }) => text);
  expect(texts.join()).not.toMatch(/swordfish|herring/);
  expect((await store.summary(childId)).meta).toMatchObject({ parent: parent.id });
});

test('a child is recorded before it starts, and opened again by its id', async () => {
  const store = memoryStore();
  await using parent = await parentOf({ store });
  const first = await parent.child({ id: childId, agent: agentOf([]) });
  await first.send('Help.');
  const facts = await Array.fromAsync(parent.events(), ({ event }) => childFact.read(event) ?? []);
  expect(facts.flat()).toMatchObject([{ conversation_id: childId, calls: 0, cost_usd: 0 }]);
  await first[Symbol.asyncDispose]();
  await using again = await parent.child({ id: childId, agent: agentOf([done]) });
  expect((await again.run()).reason).toBe('finished');
  await expect(again.child({ id: parentId })).rejects.toMatchObject({ code: 'held' });
});

test.for([true, false])(
  'usage that a crash kept from being reported (stored: %s) is reported when the child is opened',
  async (stored) => {
    const id = childId;
    for (let at = 1; ; at++) {
      const disk = memoryStore();
      const store = crashingStore(disk, { at, stored });
      const hasCrashed = await (async () => {
        const parent = await parentOf({
          store,
          delegate: async (self) => void (await work(self, [...busy(1), done], { id })),
        });
        return parent.run({ maxIterations: 4 }).then(
          () => false,
          () => true,
        );
      })().catch(() => true);
      if (!hasCrashed) break;
      const survivor = memoryStore();
      for (const { id: storedId, meta } of (await disk.list()).items) {
        await using log = await survivor.create(storedId, meta);
        for await (const event of (await disk.read(storedId)).range(0)) await log.append([event]);
      }
      const agent = agentOf([], { tools: () => [look(), finish()] });
      const opening = { agent, store: survivor, id: parentId, missingTools: 'accept' } as const;
      const known = (await survivor.list()).items.map((item) => item.id);
      if (!known.includes(childId)) continue;
      await using parent = await Conversation.open(opening);
      await using child = await parent.child({ id });
      const { total } = child.state.stats;
      expect(parent.state.stats.byUsageId[`child:${id}`], `${at}`).toEqual(total);
    }
  },
);

test('a fork is not charged for children, and a parent is not charged for forks of a child', async () => {
  const store = memoryStore();
  await using parent = await parentOf({ store });
  const { child } = await work(parent, [done]);
  await using fork = await parent.fork();
  expect(fork.state.stats.total).toMatchObject({ calls: 0, cost_usd: 0 });
  await using other = await child.fork({ agent: agentOf([done]) });
  await other.send('Again.');
  await other.run();
  expect((await store.summary(other.id)).meta).not.toHaveProperty('parent');
  expect(parent.state.stats.total.calls).toBe(1);
});
