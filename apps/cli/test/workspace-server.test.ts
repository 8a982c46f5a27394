import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { server } from '@varve/server';
import { memoryStore } from '@varve/storage';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const key = 'key-of-the-agent-server';
const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ name, arguments: args }] });
const finish = call('finish', { message: 'done' });

/** A home with the directories `here` and `there`, an agent-server and a scripted model. */
async function surroundings(replies: (there: string) => Parameters<typeof scriptedServer>[0]) {
  await using created = new AsyncDisposableStack();
  const home = await newHome();
  const [here, there] = [join(home, 'here'), join(home, 'there')];
  await Promise.all([mkdir(here), mkdir(there)]);
  const model = created.use(await scriptedServer(replies(there)));
  const { url } = created.use(await server({ store: memoryStore(), keys: [key] }).listen(0));
  const env = { LLM_API_KEY: 'key', WORKSPACE_SERVER_KEY: key };
  const run = async (...args: readonly string[]): Promise<Invocation & { readonly id: string }> => {
    const ended = await runVarve(['run', ...args], { home, env });
    return { ...ended, id: /conversation (\w+)/.exec(ended.stderr)?.[1] ?? '' };
  };
  const options = ['--base-url', model.url, '--model', 'm', '-w', here, '--set', `workspace.directory=${there}`];
  const owned = created.move();
  return {
    here,
    there,
    url,
    model,
    start: (address: string, ...args: readonly string[]) =>
      run('go', ...options, '--workspace-server', address, ...args),
    resume: (id: string, ...args: readonly string[]) => run('again', '--resume', id, ...args),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const observedBy = (requests: readonly { readonly text: string }[]): string => requests.at(-1)?.text ?? '';

test('commands run and files are edited on the agent-server, and a resumed conversation stays there', async () => {
  await using place = await surroundings((there) => [
    call('terminal', { command: 'mkdir sub && cd sub && echo one > command.txt' }),
    call('terminal', { command: 'pwd; cat command.txt; exit 3' }),
    call('file_editor', { command: 'create', path: join(there, 'edited.txt'), file_text: 'a\nb\n' }),
    call('file_editor', { command: 'str_replace', path: join(there, 'edited.txt'), old_str: 'b', new_str: 'c' }),
    finish,
    call('terminal', { command: 'echo two > resumed.txt' }),
    finish,
  ]);
  const first = await place.start(place.url, '--confirm', 'never');
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
  expect(await readFile(join(place.there, 'edited.txt'), 'utf8')).toBe('a\nc\n');
  expect(await readFile(join(place.there, 'sub/command.txt'), 'utf8')).toBe('one\n');
  const observed = observedBy(place.model.requests);
  expect(observed).toContain(String.raw`${join(place.there, 'sub')}\none`);
  expect(observed).toContain('[exit code: 3]');
  const second = await place.resume(first.id, '--workspace-server', place.url);
  expect({ code: second.code, stderr: second.stderr }).toMatchObject({ code: 0 });
  expect(await readFile(join(place.there, 'sub/resumed.txt'), 'utf8')).toBe('two\n');
  expect(await readdir(place.here)).toEqual([]);
});

test('searches run the ripgrep of the agent-server', async () => {
  await using place = await surroundings(() => [
    call('glob', { pattern: '*' }),
    call('grep', { pattern: 'x' }),
    finish,
  ]);
  vi.stubEnv('PATH', `${place.there}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = [
    '#!/bin/sh',
    String.raw`printf './a b\0'`,
    'case "$*" in *--line-number*) echo "7:the line" ;; esac',
  ].join('\n');
  await writeFile(join(place.there, 'rg'), program, { mode: 0o755 });
  const { code } = await place.start(place.url, '--tools', 'grep,glob,finish');
  const observed = observedBy(place.model.requests);
  expect([code, observed]).toEqual([0, expect.stringContaining(join(place.there, 'a b'))]);
  expect(observed).toContain('a b:7: the line');
});

test('a resumed conversation sends no key to an address that the settings do not name', async () => {
  await using place = await surroundings(() => [finish]);
  const { id } = await place.start(place.url);
  const { code, stderr } = await place.resume(id);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/of the agent-server http\S+ cannot be used: .* with 401/);
});

test('a conversation cannot move to another server', async () => {
  await using place = await surroundings(() => [finish]);
  const { id } = await place.start(place.url);
  const { code, stderr } = await place.resume(id, '--workspace-server', 'http://127.0.0.1:9');
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot move to http://127.0.0.1:9')]);
});

test('a server that cannot be reached, and a tool that works on this machine only, prevent a run', async () => {
  await using place = await surroundings(() => []);
  const unreachable = await place.start('http://127.0.0.1:9');
  expect([unreachable.code, unreachable.stderr]).toEqual([
    2,
    expect.stringContaining('of the agent-server http://127.0.0.1:9 cannot be used'),
  ]);
  const refused = await place.start(place.url, '--tools', 'apply_patch,finish');
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('The tool apply_patch cannot work on an agent-server'),
  ]);
  expect(place.model.requests).toEqual([]);
});

test('varve serve has the flag', async () => {
  const options = ['serve', '--workspace-server', 'http://127.0.0.1:9', '--print-config'];
  const { code, stdout } = await runVarve(options, { home: await newHome() });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/workspace\.server\s+http:\/\/127\.0\.0\.1:9/)]);
});
