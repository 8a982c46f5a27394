import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dumpFolder } from './dump-folder.ts';

// A recursive mkdir of Node never returns there.
test.runIf(existsSync('/proc/self'))('a folder of dumps below /proc is reported', async () => {
  const problems: string[] = [];
  const dumps = dumpFolder({ path: '/proc/varve-missing/a/b', onProblem: (problem) => problems.push(problem) });
  dumps.dump('request', 'model', {});
  await dumps.flush();
  expect(problems).toEqual([expect.stringContaining('ENOENT')]);
});
