import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Runs the command in a pipe; returns its stderr, followed by its exit status. */
async function piped(args: string, reader: string, home: string): Promise<string> {
  const command = `{ '${process.execPath}' --conditions=@varve/source '${main}' ${args}; echo "exit $?" >&2; } | ${reader}`;
  const env = { PATH: process.env['PATH'], HOME: home };
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
