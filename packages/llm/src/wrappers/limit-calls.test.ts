import { setImmediate as turn } from 'node:timers/promises';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { userRequest, scriptedModel, type ScriptedStep } from '../testing/index.ts';
import { limitCalls } from './limit-calls.ts';

/** Steps of calls that run until they are released by their index. */
function gatedSteps(count: number): {
  readonly steps: readonly ScriptedStep[];
  readonly release: (index: number) => void;
} {
  const gates = Array.from({ length: count }, () => Promise.withResolvers<void>());
  return {
    steps: gates.map(({ promise }) => ({ text: 'done', gate: promise })),
    release: (index) => gates[index]?.resolve(),
  };
}

interface ManualClock {
  readonly now: () => number;
  readonly sleeps: readonly unknown[];
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
}

/** A clock that advances only on request, and then ends the sleeps that are due. */
function manualClock(): ManualClock {
  let time = 0;
  const sleeps: { at: number; wake: () => void }[] = [];
  return {
    now: () => time,
    sleeps,
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      sleeps.push({ at: time + ms, wake: resolve });
      signal.addEventListener('abort', () => resolve());
      await promise;
    },
    async advance(ms: number): Promise<void> {
      time += ms;
      for (const each of sleeps.filter(({ at }) => at <= time)) each.wake();
      await turn();
    },
  };
}

test('at most the limit of calls run concurrently, and the others follow in order', async () => {
  const { steps, release } = gatedSteps(4);
  const model = scriptedModel(steps);
  const wrapped = limitCalls({ concurrency: 2 })(model);
  const calls = ['a', 'b', 'c', 'd'].map((question) => wrapped.generate(userRequest(question)));
  await turn();
  expect(model.requests).toHaveLength(2);
  release(1);
  await calls[1];
  await turn();
  const questions = (): readonly string[] => model.requests.map(({ messages }) => textOf(messages[0]?.content ?? []));
  expect(questions()).toEqual(['a', 'b', 'c']);
  for (const index of [0, 2, 3]) release(index);
  await Promise.all(calls);
  expect(questions()).toEqual(['a', 'b', 'c', 'd']);
});

test('models wrapped by one value share its limits', async () => {
  const { steps, release } = gatedSteps(1);
  const limit = limitCalls({ concurrency: 1 });
  const [first, second] = [scriptedModel(steps), scriptedModel([{ text: 'done' }])];
  const calls = [limit(first).generate(userRequest('a')), limit(second).generate(userRequest('b'))];
  await turn();
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  release(0);
  await Promise.all(calls);
});

test('a failed call releases its slot', async () => {
  const model = scriptedModel([{ error: { code: 'quota' } }, { text: 'done' }]);
  const wrapped = limitCalls({ concurrency: 1 })(model);
  await expect(wrapped.generate(userRequest('a'))).rejects.toMatchObject({ code: 'quota' });
  await wrapped.generate(userRequest('b'));
});

test('a call aborted while it waits is never sent and blocks no other call', async () => {
  const { steps, release } = gatedSteps(2);
  const model = scriptedModel(steps);
  const wrapped = limitCalls({ concurrency: 1 })(model);
  const caller = new AbortController();
  const first = wrapped.generate(userRequest('a'));
  const second = wrapped.generate(userRequest('b'), { signal: caller.signal });
  const third = wrapped.generate(userRequest('c'));
  caller.abort('enough');
  await expect(second).rejects.toMatchObject({ code: 'aborted', cause: 'enough' });
  release(0);
  release(1);
  await Promise.all([first, third]);
  expect(model.requests).toHaveLength(2);
});

test('at most the limit of calls start in a window', async () => {
  const { now, sleep, advance } = manualClock();
  const model = scriptedModel(Array.from({ length: 5 }, () => ({ text: 'done' })));
  const wrapped = limitCalls({ requests: 2, windowMs: 1000, now, sleep })(model);
  const calls = Array.from({ length: 5 }, () => wrapped.generate(userRequest('a')));
  await turn();
  const started: number[] = [model.requests.length];
  for (const ms of [999, 1, 500, 500]) {
    await advance(ms);
    started.push(model.requests.length);
  }
  expect(started).toEqual([2, 2, 4, 4, 5]);
  await Promise.all(calls);
});

test('no timer runs without waiting calls', async () => {
  const { now, sleep, sleeps } = manualClock();
  const wrapped = limitCalls({ requests: 1, now, sleep })(scriptedModel([{ text: 'a' }, { text: 'b' }]));
  await wrapped.generate(userRequest('a'));
  expect(sleeps).toHaveLength(0);
  const caller = new AbortController();
  const waiting = wrapped.generate(userRequest('b'), { signal: caller.signal });
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
});

test('the spec contains the limits that are set', () => {
  const model = scriptedModel([]);
  expect(limitCalls({ concurrency: 2 })(model).spec).toEqual({ kind: 'limited', concurrency: 2, model: model.spec });
});

test('a limit that lets no call begin is refused', () => {
  expect(() => limitCalls({ concurrency: 0 })).toThrow('A limit of 0 lets no call begin.');
  expect(() => limitCalls({ requests: 0 })).toThrow('A limit of 0 lets no call begin.');
  expect(() => limitCalls({ concurrency: NaN })).toThrow(RangeError);
});
