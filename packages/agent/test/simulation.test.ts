import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EndReason } from '../src/run/run-result.ts';
import { simulate } from './simulation.ts';

const seeds = 150;

// Reading a log lets other work run after some milliseconds; the logs must not depend on the speed of the machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test(`${seeds} simulated conversations keep every invariant through crashes and failures`, async () => {
  const reasons = new Set<EndReason>();
  let crashes = 0;
  let failures = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const simulated = await simulate(seed);
    for (const reason of simulated.reasons) reasons.add(reason);
    crashes += simulated.crashes;
    failures += simulated.failures;
  }
  // A simulation without events would keep every invariant too.
  expect([...reasons].toSorted()).toEqual(
    [
      'asked',
      'error',
      'finished',
      'interrupted',
      'max-cost',
      'max-iterations',
      'max-time',
      'max-tokens',
      'paused',
      'stuck',
      'waiting',
    ].toSorted(),
  );
  expect(Math.min(crashes, failures)).toBeGreaterThan(seeds / 10);
});

test('a seed produces the same log again, byte for byte', async () => {
  for (const seed of [3, 7, 11]) expect((await simulate(seed)).log).toEqual((await simulate(seed)).log);
});

test('concurrent conversations in one process write the same logs as single ones', async () => {
  const some = Array.from({ length: 20 }, (_, index) => index + 1);
  const together = await Promise.all(some.map((seed) => simulate(seed)));
  for (const [index, seed] of some.entries()) {
    expect(together[index]?.log, `seed ${seed}`).toEqual((await simulate(seed)).log);
  }
});
