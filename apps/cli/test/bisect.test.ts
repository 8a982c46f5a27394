import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { beforeAll, expect, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { newHome, runVarve } from './run-varve.ts';

const home = await newHome();
const workspace = join(home, 'work');
const main = appMain('cli');
let id = '';

const varve = (...args: readonly string[]) => runVarve(args, { home });
const bisect = (...command: readonly string[]) =>
  varve('bisect', id, '--leave', 'ignored', '--overwrite', 'a.txt', '--', ...command);

const create = (name: string, text: string): ScriptedTurn => ({
  text: `I write ${name}.`,
  calls: [
    { name: 'file_editor', arguments: { command: 'create', path: join(workspace, name), file_text: `${text}\n` } },
  ],
});
const run = (command: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command } }] });

/** Returns the files of the workspace without those that a sandbox hides. */
async function files(): Promise<Record<string, string>> {
  const names = (await readdir(workspace)).filter((name) => !name.startsWith('.')).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(workspace, name), 'utf8')] as const)),
  );
}

beforeAll(async () => {
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'one\n');
  const done = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  const more = [create('b.txt', 'b'), run('echo two > a.txt'), create('c.txt', 'c'), run('rm b.txt'), done];
  await using server = await scriptedServer([...more, create('d.txt', 'd'), done]);
  const options = ['--base-url', server.url, '--model', 'm', '--workspace', workspace, '--confirm', 'never'];
  id = /conversation (\w+)/.exec((await varve('run', ...options, 'Work.')).stderr)?.[1] ?? '';
  await writeFile(join(workspace, 'a.txt'), 'three\n');
  await varve('run', '--resume', id, '--base-url', server.url, 'More.');
});

test('bisect finds the call that changed the result, with its thought and difference, and files are as before', async () => {
  const before = await files();
  expect(before).toEqual({ 'a.txt': 'three\n', 'c.txt': 'c\n', 'd.txt': 'd\n' });
  expect(await varve('bisect', id, '--', 'true')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Some files cannot go back: a.txt (it was changed by something else since).'),
  });
  const found = await bisect('test', '!', '-e', 'c.txt');
  expect(found.stdout).toMatch(/^event \d+ \(\S+\): the command fails since then\nby the call of event \d+:\n/);
  expect(found.stdout).toContain('I write c.txt.');
  expect(found.stdout).toMatch(/--- \/dev\/null\n\+\+\+ c.txt\n *1 \+ c\n$/);
  expect(found.code).toBe(0);
  expect(found.stderr).toMatch(/If this is killed, `varve rewind \S+ \S+ --files` sets the files back\./);
  expect(await files()).toEqual(before);
  const command = await bisect('grep', '-q', 'one', 'a.txt');
  expect(command.stdout).toMatch(/by the call of event \d+:\n[^]*echo two > a.txt[^]*1 - one\n *1 \+ two\n$/);
  const outside = await bisect('sh', '-c', '! grep -q three a.txt');
  expect(outside.stdout).toMatch(/since then\nfrom outside: [^\n]*\n--- a.txt\n\+\+\+ a.txt\n *1 - two\n *1 \+ three/);
  expect(await files()).toEqual(before);
  // The model reads nothing about files that are back.
  expect((await varve('show', id, '--json')).stdout).not.toContain('The user set files');
});

test('bisect prints all changes between results if those between are skipped, and one without a change', async () => {
  const before = await files();
  const skipped = await bisect('sh', '-c', 'exit 125');
  expect(skipped).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('skips at the first') });
  const range = await bisect('sh', '-c', 'test -e d.txt && exit 1; test -e c.txt && exit 125; true');
  expect(range.code).toBe(6);
  expect(range.stdout).toMatch(/^The change is one of these[^]*(?:event \d+ \([^]*){3}$/);
  const same = await bisect('true');
  expect(same).toMatchObject({ code: 6, stderr: expect.stringContaining('has the same result at the first') });
  // A file that is left is the same at all positions.
  const left = await varve('bisect', id, '--leave', 'a.txt', '--', 'grep', '-q', 'three', 'a.txt');
  expect(left).toMatchObject({ code: 6, stderr: expect.stringContaining('has the same result at the first') });
  expect(await files()).toEqual(before);
});

test('a command that changes files, one that a signal ends, and a request to terminate leave the files as they were', async () => {
  const before = await files();
  const writes = await bisect('sh', '-c', 'echo changed > a.txt; test -e c.txt');
  expect(writes.code).toBe(0);
  expect(await files()).toEqual(before);
  expect((await bisect('sh', '-c', 'test -e d.txt || kill -9 $$')).code).toBe(6);
  expect(await files()).toEqual(before);
  const command = ['sh', '-c', 'test -e d.txt && exit 0; kill -TERM "$VARVE_PID"; exec sleep 60'];
  const args = [main, 'bisect', id, '--overwrite', 'a.txt', '--', ...command];
  const script = `export VARVE_PID=$$; exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', script, process.execPath, ...args], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(await files()).toEqual(before);
});
