import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runScheduled, type ScheduledTask } from './scheduler.ts';

/** Runs tasks that record their start and end, and end when the test resolves their gates. */
function stage(limit: number, tasks: Readonly<Record<string, readonly string[] | 'alone'>>) {
  const events: string[] = [];
  const gates = new Map(Object.keys(tasks).map((name) => [name, Promise.withResolvers<boolean>()]));
  const made = Object.entries(tasks).map(([name, locks]): ScheduledTask => ({
    locks: locks === 'alone' ? [] : locks,
    isExclusive: locks === 'alone',
    run: async () => {
      events.push(`+${name}`);
      const goOn = await gates.get(name)?.promise;
      events.push(`-${name}`);
      return goOn ?? true;
    },
  }));
  const all = runScheduled(made, limit);
  const end = async (name: string, goOn = true): Promise<void> => {
    gates.get(name)?.resolve(goOn);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { events, all, end, fail: (name: string, error: Error) => gates.get(name)?.reject(error) };
}

test('tasks without a common lock run concurrently, tasks that share a lock in order', async () => {
  const { events, all, end } = stage(9, { a: ['x'], b: ['y'], c: ['x', 'y'], d: ['z'] });
  expect(events).toEqual(['+a', '+b', '+d']);
  await end('b');
  expect(events).toEqual(['+a', '+b', '+d', '-b']);
  await end('a');
  expect(events.at(-1)).toBe('+c');
  await Promise.all(['c', 'd'].map((name) => end(name)));
  await all;
});

test('no task overtakes an earlier one that waits for the same lock', async () => {
  const { events, all, end } = stage(9, { a: ['x'], b: ['x', 'y'], c: ['y'] });
  expect(events).toEqual(['+a']);
  await end('a');
  expect(events).toEqual(['+a', '-a', '+b']);
  await end('b');
  await end('c');
  await all;
  expect(events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
});

test('an exclusive task runs after all earlier and before all later tasks', async () => {
  const { events, all, end } = stage(9, { a: [], b: 'alone', c: [] });
  expect(events).toEqual(['+a']);
  for (const name of ['a', 'b', 'c']) await end(name);
  await all;
  expect(events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
});

test('a task that resolves with false prevents the others from starting', async () => {
  const { events, all, end } = stage(2, { a: [], b: [], c: [] });
  await end('a', false);
  await end('b');
  await all;
  expect(events).toEqual(['+a', '+b', '-a', '-b']);
});

test('a task that throws aborts the running tasks, which are awaited', async () => {
  const gate = Promise.withResolvers<void>();
  let isAborted = false;
  const failing: ScheduledTask = {
    locks: [],
    isExclusive: false,
    run: () => gate.promise.then(() => Promise.reject(new Error('full'))),
  };
  const waits: ScheduledTask = {
    locks: [],
    isExclusive: false,
    run: async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isAborted = true;
      return true;
    },
  };
  const all = runScheduled([failing, waits, { ...waits, run: () => Promise.reject(new Error('never started')) }], 2);
  gate.resolve();
  await expect(all).rejects.toThrow('full');
  expect(isAborted).toBe(true);
});

test('every task runs once, and never concurrently with one that it excludes', async () => {
  const locks = fc.oneof(fc.constant('alone' as const), fc.subarray(['x', 'y', 'z']));
  await fc.assert(
    fc.asyncProperty(
      fc.array(locks, { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.scheduler(),
      async (all, limit, s) => {
        const running = new Set<number>();
        const ended: number[] = [];
        const clash = (a: number, b: number): boolean => {
          const [left = [], right = []] = [all[a], all[b]];
          return left === 'alone' || right === 'alone' || left.some((lock) => right.includes(lock));
        };
        const tasks = all.map((lock, index): ScheduledTask => ({
          locks: lock === 'alone' ? [] : lock,
          isExclusive: lock === 'alone',
          run: async () => {
            for (const other of running) expect(clash(index, other)).toBe(false);
            running.add(index);
            expect(running.size).toBeLessThanOrEqual(limit);
            await s.schedule(Promise.resolve());
            running.delete(index);
            ended.push(index);
            return true;
          },
        }));
        await s.waitFor(runScheduled(tasks, limit));
        expect(ended.toSorted((left, right) => left - right)).toEqual([...all.keys()]);
        for (const [at, later] of ended.entries()) {
          for (const earlier of ended.slice(at + 1)) expect(earlier < later && clash(earlier, later)).toBe(false);
        }
      },
    ),
    { numRuns: 100 },
  );
});
