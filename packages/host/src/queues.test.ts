import { expect, test } from 'vitest';
import { RunQueue } from './queues.ts';

test('a queue contains the ages of its oldest jobs', async () => {
  let now = 1_000;
  const queue = new RunQueue(1, { now: () => now });
  expect(queue.ages).toEqual({ running: 0, waiting: 0 });
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const { promise } of ends) {
    queue.of('').add(async () => promise);
    now += 1_000;
  }
  expect(queue.ages).toEqual({ running: 3_000, waiting: 2_000 });
  ends[0]?.resolve();
  await expect.poll(() => queue.waiting).toBe(1);
  now += 500;
  expect(queue.ages).toEqual({ running: 500, waiting: 1_500 });
  for (const { resolve } of ends) resolve();
});

test('the next job is the oldest of the owner of which the fewest run', async () => {
  const queue = new RunQueue(2);
  const [started, ends] = [[] as string[], new Map<string, () => void>()];
  const add = (name: string) =>
    queue.of(name.charAt(0)).add(async () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
    });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) add(name);
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) {
    await expect.poll(() => ends.has(name)).toBe(true);
    ends.get(name)?.();
  }
  await expect.poll(() => started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'c1']);
  for (const end of ends.values()) end();
});

test('an owner with as many runs as it may have is refused another one', async () => {
  const counts: Record<string, number> = { a: 2, b: 1 };
  const queue = new RunQueue(1, { maxByOwner: 2, countRuns: async (owner) => counts[owner] ?? 0 });
  await expect(queue.of('a').admit()).rejects.toMatchObject({
    code: 'full',
    message: '2 runs of the owner a are active or wait.',
  });
  await queue.of('b').admit();
  await queue.of('').admit();
});
