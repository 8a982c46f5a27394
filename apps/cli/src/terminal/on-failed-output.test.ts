import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { appMain } from '../../../../tests/app-main.ts';
import { processEnvironment } from '../../test/process-environment.ts';

const main = appMain('cli');

/** Runs the command in a pipe; returns its stderr, followed by its exit status. */
async function piped(args: string, reader: string, home: string): Promise<string> {
  return inShell((varve) => `{ ${varve} ${args}; echo "exit $?" >&2; } | ${reader}`, home);
}

async function inShell(line: (varve: string) => string, home: string): Promise<string> {
  const command = line(`'${process.execPath}' '${main}'`);
  const env = processEnvironment(home);
  return (await promisify(execFile)('/bin/sh', ['-c', command], { env, cwd: home })).stderr;
}

test('a closed pipe ends show silently, and stops a run that can be resumed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const calls = [{ name: 'terminal', arguments: { command: 'sleep 1; echo slept' } }];
  await using server = await scriptedServer([{ calls }, { text: 'x' }]);
  const ran = await piped(`run --json --base-url ${server.url} --model m x`, 'head -c 10', home);
  expect(ran).toContain('--resume');
  expect(ran).toContain('exit 130');
  const id = /conversation (\w+)/.exec(ran)?.[1] ?? '';
  expect(await piped(`show ${id} --json`, 'true', home)).toBe('exit 0\n');
});

// A descriptor that is open for reading only fails on every write.
const unwritable = '/dev/null';

test.for([
  ['--help', 0],
  ['ls', 0],
  ['show nothing', 5],
])('%s ends as usual if its messages cannot be written', async ([args, code]) => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const printed = await inShell((varve) => `${varve} ${args} 2<${unwritable} >/dev/null; echo "exit $?" >&2`, home);
  expect(printed).toBe(`exit ${code}\n`);
});

test('a result that cannot be written is an error, and not a bug', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const printed = await inShell((varve) => `${varve} --help 1<${unwritable}; echo "exit $?" >&2`, home);
  expect(printed).toBe('varve: Standard output cannot be written: EBADF.\nexit 2\n');
});
