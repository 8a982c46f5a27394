import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = new URL('./limit-young-generation.ts', import.meta.url).href;
const script = `import { limitYoungGeneration } from '${module}';
limitYoungGeneration();
process.stdout.write(JSON.stringify([process.pid, process.execArgv, process.argv.slice(2)]));`;

/** Runs the script as a file of a process and returns its options and arguments, and whether it kept its id. */
async function replaced(nodeOptions: string) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const file = join(directory.path, 'main.mjs');
  await writeFile(file, script);
  const running = promisify(execFile)(process.execPath, ['--no-warnings', file, 'serve', '--port', '0'], {
    env: { PATH: process.env['PATH'], NODE_OPTIONS: nodeOptions },
  });
  const [pid, options, args] = JSON.parse((await running).stdout) as [number, string[], string[]];
  return { isSame: pid === running.child.pid, options, args };
}

test('the process of a server replaces itself by one with a smaller heap for new objects, once', async () => {
  expect(await replaced('')).toEqual({
    isSame: true,
    options: ['--max-semi-space-size=8', '--no-warnings'],
    args: ['serve', '--port', '0'],
  });
});

test('a size that the environment names is kept', async () => {
  expect(await replaced('--max_semi_space_size=16')).toMatchObject({ options: ['--no-warnings'] });
});
