import { expect, test } from 'vitest';
import { killRound } from './kill-round.ts';

const lines = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5'];

/** Rounds with a kill time each, over both stores and both function calling modes. */
const rounds = [120, 240, 360, 480].map((ms, index) => {
  const scheme = index % 2 === 0 ? ('sqlite' as const) : ('dir' as const);
  const way = index % 4 < 2 ? ('native' as const) : ('mock' as const);
  return [scheme, way, ms] as const;
});

test.for(rounds)(
  'with a log in %s: and %s calls, killed after %i ms, the command finishes after --resume: nothing lost, nothing done twice',
  async ([scheme, functionCalling, killAfterMs]) => {
    const round = await killRound({ scheme, functionCalling, killAfterMs });
    expect(round).toMatchObject({ exitCode: 0, status: 'finished', lost: [] });
    expect(round.written).toEqual(lines);
  },
);
