import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dumpFolder } from './dump-folder.ts';
import { makePrivateDirectories } from './make-private-directories.ts';

test('missing directories are created for their owner', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'varve-')), 'a/b');
  makePrivateDirectories(path);
  makePrivateDirectories(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(readdirSync(path)).toEqual([]);
});

// A recursive mkdir of Node never returns there.
test.runIf(existsSync('/proc/self'))('a folder of dumps below /proc is reported', async () => {
  const problems: string[] = [];
  const dumps = dumpFolder({ path: '/proc/varve-missing/a/b', onProblem: (problem) => problems.push(problem) });
  dumps.dump('request', 'model', {});
  await dumps.flush();
  expect(problems).toEqual([expect.stringContaining('ENOENT')]);
});
