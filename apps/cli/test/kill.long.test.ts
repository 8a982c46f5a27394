import { expect, test } from 'vitest';
import { killRound } from './kill-round.ts';

const lines = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5'];

const ways = (['sqlite', 'dir'] as const).flatMap((scheme) => [[scheme, 'native'] as const, [scheme, 'mock'] as const]);

test.for(ways)(
  '30 kills at random moments with a log in %s: and %s calls lose nothing and do nothing twice',
  async ([scheme, functionCalling]) => {
    let kills = 0;
    // A process that ended before its kill shows that the next kills must come earlier on this machine.
    let latestMs = 1000;
    for (let round = 0; round < 30; round++) {
      const killAfterMs = Math.round(Math.random() * latestMs);
      const outcome = await killRound({ scheme, functionCalling, killAfterMs });
      const label = `round ${round}, killed after ${killAfterMs} ms`;
      expect(outcome, label).toMatchObject({ exitCode: 0, status: 'finished', lost: [] });
      expect(outcome.written, label).toEqual(lines);
      if (outcome.wasKilled) kills += 1;
      else latestMs = killAfterMs;
    }
    expect(kills).toBeGreaterThan(12);
  },
);
