import { expect, test } from 'vitest';
import { killRound } from './kill-round.ts';

/** Points where the process is killed: two around each append and each effect, and one while the model writes. */
test.for([
  ['sqlite', 1, [9]],
  ['dir', 2, [14, 5]],
] as const)(
  'a process with a log in %s: and %i concurrent calls that is killed at %j leaves a log that the next run completes',
  async ([scheme, concurrency, at]) => {
    expect(await killRound({ scheme, concurrency, at })).toBe(true);
  },
);
