import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const path = (name: string) => new URL(name, import.meta.url).href;
const script = `import { privateEnvironment } from '${path('./private-environment.ts')}';
import { youngGenerationOptions } from '${path('./young-generation-options.ts')}';
privateEnvironment({ nodeOptions: youngGenerationOptions() });
process.stdout.write(JSON.stringify([process.pid, process.execArgv, process.argv.slice(2)]));`;

/** Runs the script as a file of a process and returns its options and arguments, and whether it kept its id. */
async function replaced(nodeOptions: string, more: Readonly<Record<string, string>> = {}) {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const file = join(directory.path, 'main.mjs');
  await writeFile(file, script);
  const running = promisify(execFile)(
    process.execPath,
    ['--conditions=@varve/source', '--no-warnings', file, 'serve', '--port', '0'],
    {
      env: { PATH: process.env['PATH'], NODE_OPTIONS: nodeOptions, ...more },
    },
  );
  const [pid, options, args] = JSON.parse((await running).stdout) as [number, string[], string[]];
  return { isSame: pid === running.child.pid, options, args };
}

test.for([
  ['no private variables', {}],
  ['private variables', { LLM_API_KEY: 'a' }],
  ['too many private variables for a pipe', { LLM_API_KEY: 'a'.repeat(100_000) }],
] as const)('a process with %s is replaced by one with a smaller heap for new objects, once', async ([, more]) => {
  expect(await replaced('', more)).toEqual({
    isSame: true,
    options: ['--max-semi-space-size=8', '--conditions=@varve/source', '--no-warnings'],
    args: ['serve', '--port', '0'],
  });
});

test('a size that the environment names is kept', async () => {
  expect(await replaced('--max_semi_space_size=16')).toMatchObject({
    options: ['--conditions=@varve/source', '--no-warnings'],
  });
});
