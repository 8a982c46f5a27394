import { setImmediate as turn } from 'node:timers/promises';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { userRequest, scriptedModel, type ScriptedStep } from '../testing/index.ts';
import { limitCalls } from './limit-calls.ts';

/** Calls that stay under way until they are let go, in the order they came. */
function held(count: number): { readonly steps: readonly ScriptedStep[]; readonly letGo: (index: number) => void } {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>());
  return {
    steps: gates.map(({ promise }) => ({ text: 'done', gate: promise })),
    letGo: (index) => gates[index]?.resolve(),
  };
}

interface HandClock {
  readonly now: () => number;
  readonly naps: readonly unknown[];
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
}

/** A clock that moves only when it is told to, and that ends naps whose time has come. */
function handClock(): HandClock {
  let time = 0;
  const naps: { at: number; wake: () => void }[] = [];
  return {
    now: () => time,
    naps,
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      naps.push({ at: time + ms, wake: resolve });
      signal.addEventListener('abort', () => resolve());
      await promise;
    },
    async advance(ms: number): Promise<void> {
      time += ms;
      for (const nap of naps.filter(({ at }) => at <= time)) nap.wake();
      await turn();
    },
  };
}

test('no more calls are under way than the limit, and the others follow in order', async () => {
  const { steps, letGo } = held(4);
  const model = scriptedModel(steps);
  const wrapped = limitCalls({ concurrency: 2 })(model);
  const asked = ['a', 'b', 'c', 'd'].map((question) => wrapped.generate(userRequest(question)));
  await turn();
  expect(model.requests).toHaveLength(2);
  letGo(1);
  await asked[1];
  await turn();
  const questions = (): readonly string[] => model.requests.map(({ messages }) => textOf(messages[0]?.content ?? []));
  expect(questions()).toEqual(['a', 'b', 'c']);
  for (const index of [0, 2, 3]) letGo(index);
  await Promise.all(asked);
  expect(questions()).toEqual(['a', 'b', 'c', 'd']);
});

test('models wrapped by one value share its limits', async () => {
  const { steps, letGo } = held(1);
  const limit = limitCalls({ concurrency: 1 });
  const [first, second] = [scriptedModel(steps), scriptedModel([{ text: 'done' }])];
  const asked = [limit(first).generate(userRequest('a')), limit(second).generate(userRequest('b'))];
  await turn();
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  letGo(0);
  await Promise.all(asked);
});

test('a call that fails makes room', async () => {
  const model = scriptedModel([{ error: { code: 'quota' } }, { text: 'done' }]);
  const wrapped = limitCalls({ concurrency: 1 })(model);
  await expect(wrapped.generate(userRequest('a'))).rejects.toMatchObject({ code: 'quota' });
  await wrapped.generate(userRequest('b'));
});

test('a call that is aborted while it waits is never sent and keeps nobody from going on', async () => {
  const { steps, letGo } = held(2);
  const model = scriptedModel(steps);
  const wrapped = limitCalls({ concurrency: 1 })(model);
  const caller = new AbortController();
  const first = wrapped.generate(userRequest('a'));
  const second = wrapped.generate(userRequest('b'), { signal: caller.signal });
  const third = wrapped.generate(userRequest('c'));
  caller.abort('enough');
  await expect(second).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  letGo(0);
  letGo(1);
  await Promise.all([first, third]);
  expect(model.requests).toHaveLength(2);
});

test('a window lets no more calls begin than its limit', async () => {
  const { now, sleep, advance } = handClock();
  const model = scriptedModel(Array.from({ length: 5 }, () => ({ text: 'done' })));
  const wrapped = limitCalls({ requests: 2, windowMs: 1000, now, sleep })(model);
  const asked = Array.from({ length: 5 }, () => wrapped.generate(userRequest('a')));
  await turn();
  const begun: number[] = [model.requests.length];
  for (const ms of [999, 1, 500, 500]) {
    await advance(ms);
    begun.push(model.requests.length);
  }
  expect(begun).toEqual([2, 2, 4, 4, 5]);
  await Promise.all(asked);
});

test('nothing sleeps when nobody waits', async () => {
  const { now, sleep, naps } = handClock();
  const wrapped = limitCalls({ requests: 1, now, sleep })(scriptedModel([{ text: 'a' }, { text: 'b' }]));
  await wrapped.generate(userRequest('a'));
  expect(naps).toHaveLength(0);
  const caller = new AbortController();
  const waiting = wrapped.generate(userRequest('b'), { signal: caller.signal });
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
});

test('the spec holds the limits that are set', () => {
  const model = scriptedModel([]);
  expect(limitCalls({ concurrency: 2 })(model).spec).toEqual({ kind: 'limited', concurrency: 2, model: model.spec });
});

test('a limit that lets no call begin is refused', () => {
  expect(() => limitCalls({ concurrency: 0 })).toThrow('A limit of 0 lets no call begin.');
  expect(() => limitCalls({ requests: 0 })).toThrow('A limit of 0 lets no call begin.');
  expect(() => limitCalls({ concurrency: NaN })).toThrow(RangeError);
});
