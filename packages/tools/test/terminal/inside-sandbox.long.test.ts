import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sandboxProblem } from '@varve/sandbox';

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: the terminal in a sandbox. ${problem}\n`);

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

test.skipIf(problem !== undefined)('all tests of the terminal pass with shells in a sandbox', async () => {
  const tests = ['packages/tools/src/terminal', 'packages/tools/test'];
  const child = spawn(process.execPath, [vitest, 'run', ...tests], {
    cwd: root,
    env: { ...process.env, VARVE_TEST_SANDBOX: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, 'exit')]);
  expect({ code: child.exitCode, output: stdout + stderr }).toMatchObject({ code: 0 });
});
