import { expect, test } from 'vitest';
import { RunQueue } from './queues.ts';

test('a queue contains the ages of its oldest jobs', async () => {
  let now = 1_000;
  const queue = new RunQueue(1, { now: () => now });
  expect(queue.ages).toEqual({ running: 0, waiting: 0 });
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const { promise } of ends) {
    queue.add(async () => promise);
    now += 1_000;
  }
  expect(queue.ages).toEqual({ running: 3_000, waiting: 2_000 });
  ends[0]?.resolve();
  await expect.poll(() => queue.waiting).toBe(1);
  now += 500;
  expect(queue.ages).toEqual({ running: 500, waiting: 1_500 });
  for (const { resolve } of ends) resolve();
});
