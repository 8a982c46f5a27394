import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killRound } from './testing/kill-round.ts';

const lines = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5'];

const moments = [150, 280, 410, 540, 670];
const rounds = ['sqlite', 'dir'].flatMap((scheme) => moments.map((ms) => [scheme, ms] as const));

test.for(rounds)(
  'with a log in %s:, killed after %i ms, the command goes on to the end: nothing lost, nothing done twice',
  async ([scheme, killAfterMs]) => {
    const round = await killRound({ storeUrl: (dir) => `${scheme}:${join(dir, 'log')}`, killAfterMs });
    expect(round).toMatchObject({ exitCode: 0, status: 'finished', lost: [] });
    expect(round.written).toEqual(lines);
  },
);
