import { expect, test } from 'vitest';
import { mutex } from './mutex.ts';

test('waiting work whose signal aborts leaves the queue and never starts', async () => {
  const inTurn = mutex();
  const first = Promise.withResolvers<string>();
  const started: string[] = [];
  const run = (name: string, signal: AbortSignal, work = Promise.resolve(name)): Promise<string> =>
    inTurn(() => {
      started.push(name);
      return work;
    }, signal);
  const never = new AbortController().signal;
  const running = run('first', never, first.promise);
  const controller = new AbortController();
  const waiting = run('second', controller.signal);
  const last = run('third', never);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  await expect(run('fourth', AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  expect(started).toEqual(['first']);
  first.resolve('first');
  expect(await Promise.all([running, last])).toEqual(['first', 'third']);
  expect(started).toEqual(['first', 'third']);
});
