import { expect, test } from 'vitest';
import { dice } from './dice.ts';
import { killRound } from './kill-round.ts';

/** Together the two stores cover every point. */
test.for([
  ['sqlite', 1, 1],
  ['dir', 2, 2],
] as const)(
  'killed at every other point of its work, with a log in %s: and %i concurrent calls',
  async ([scheme, concurrency, first]) => {
    let at: number = first;
    while (await killRound({ scheme, concurrency, at: [at] })) at += 2;
    expect(at).toBeGreaterThan(30);
  },
);

test.for([
  ['sqlite', 2],
  ['dir', 1],
] as const)('killed repeatedly, with a log in %s: and %i concurrent calls', async ([scheme, many]) => {
  const random = dice(many);
  for (let round = 0; round < 6; round++) {
    const at = Array.from({ length: 3 }, () => random.below(9) + 1);
    expect(await killRound({ scheme, concurrency: many, at }), at.join()).toBe(true);
  }
});
