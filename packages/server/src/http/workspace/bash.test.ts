import { request } from 'node:http';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { sandboxProblem } from '@varve/sandbox';
import { memoryStore } from '@varve/storage';
import type { BashCommand, BashEvent, BashOutput } from '../../workspace/bash/bash-event.ts';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { everyItem, get, send, testKey } from '../../../test/support/requests.ts';
import { homeServer } from '../../../test/support/home-server.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const hex = /^[0-9a-f]{32}$/;
const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });

async function execute(serving: ReturnType<typeof server>, body: object): Promise<BashOutput> {
  const response = await send(serving, 'POST', '/api/bash/execute_bash_command', body);
  expect(response.status).toBe(200);
  return (await response.json()) as BashOutput;
}

test('a command returns its exit code and both streams', async () => {
  await using serving = started();
  const output = await execute(serving, { command: 'echo "ä 1"; echo bad >&2; exit 3' });
  expect(output).toEqual({
    id: expect.stringMatching(hex),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    command_id: expect.stringMatching(hex),
    order: 0,
    exit_code: 3,
    stdout: 'ä 1\n',
    stderr: 'bad\n',
    kind: 'BashOutput',
  });
  expect(await execute(serving, { command: 'true', cwd: null })).toMatchObject({ stdout: null, stderr: null });
});

test('commands run in their directory, relative to the root of the server', async () => {
  await using directory = await temporaryDirectory();
  await using serving = started({ workspaceRoot: directory.path });
  await execute(serving, { command: 'mkdir sub' });
  expect(await execute(serving, { command: 'pwd', cwd: 'sub' })).toMatchObject({ stdout: `${directory.at('sub')}\n` });
  expect(await execute(serving, { command: 'pwd', cwd: '/' })).toMatchObject({ stdout: '/\n' });
});

test.for([
  ['a missing directory', { command: 'echo ran', cwd: '/none' }, 'Error executing command: '],
  ['a null character', { command: 'echo \0' }, 'Error executing command: '],
] as const)('%s is an output with exit code -1', async ([, body, stderr]) => {
  await using serving = started();
  expect(await execute(serving, body)).toMatchObject({
    exit_code: -1,
    stdout: null,
    stderr: expect.stringContaining(stderr),
  });
});

test('a command that exceeds its time returns its output so far and exit code -1', async () => {
  await using serving = started();
  const output = await execute(serving, { command: 'echo before; sleep 60', timeout: 1 });
  expect(output).toMatchObject({ exit_code: -1, stdout: 'before\n' });
});

test('keys of the environment are not passed to commands', async () => {
  await using serving = started();
  const { stdout } = await execute(serving, { command: 'env' });
  const names = (stdout ?? '').split('\n').map((line) => line.split('=')[0]);
  expect(names).toContain('PATH');
  expect(names.filter((name) => /^VITEST|KEY|TOKEN/.test(name ?? ''))).toEqual([]);
});

test('long output is split into pieces in order, and only the last one has the exit code', async () => {
  await using serving = started();
  const last = await execute(serving, { command: 'seq 200000; seq 3 >&2' });
  const path = `/api/bash/bash_events/search?command_id__eq=${last.command_id}&limit=1`;
  const items = await everyItem<BashOutput>(serving, path);
  expect(items.map(({ order, exit_code }) => [order, exit_code])).toEqual([
    [0, null],
    [1, 0],
  ]);
  expect(items[0]?.stdout).toHaveLength(1024 * 1024);
  const expected = `${Array.from({ length: 200_000 }, (_, index) => index + 1).join('\n')}\n`;
  expect(items.map(({ stdout }) => stdout ?? '').join('') === expected).toBe(true);
  expect(last).toEqual(items[1]);
});

test('a search finds a started command and later its output by kind, command, time and number', async () => {
  let now = Date.parse('2026-11-21T00:01:58.592Z');
  await using serving = started({ now: () => now });
  const path = '/api/bash/bash_events/search';
  const response = await send(serving, 'POST', '/api/bash/start_bash_command', { command: 'echo 1', timeout: 20 });
  const command = (await response.json()) as BashCommand;
  expect(command).toEqual({
    command: 'echo 1',
    cwd: null,
    timeout: 20,
    id: expect.stringMatching(hex),
    timestamp: '2026-11-21T00:01:58.592000Z',
    kind: 'BashCommand',
  });
  const search = async (query: string) => everyItem<BashEvent>(serving, `${path}?${query}`);
  const dashed = command.id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  await expect.poll(() => search(`command_id__eq=${dashed}`), { timeout: 20_000 }).toHaveLength(1);
  now += 1000;
  const later = await execute(serving, { command: 'echo 2' });
  const kinds = async (query: string) => (await search(query)).map(({ kind }) => kind);
  expect(await kinds('')).toEqual(['BashCommand', 'BashOutput', 'BashCommand', 'BashOutput']);
  expect(await kinds('kind__eq=BashOutput')).toEqual(['BashOutput', 'BashOutput']);
  expect((await search('sort_order=TIMESTAMP_DESC'))[0]).toEqual(later);
  expect(await kinds('timestamp__lt=2026-11-21T00:01:59Z&sort_order=TIMESTAMP_DESC')).toEqual([
    'BashOutput',
    'BashCommand',
  ]);
  expect((await search('timestamp__gte=2026-11-21T01:01:59%2B01:00')).at(-1)).toEqual(later);
  expect(await search(`command_id__eq=${command.id}&order__gt=0`)).toEqual([]);
  expect(await search('page_id=unknown')).toHaveLength(4);
});

test('events are found by their ids, also several by the body of a GET', async () => {
  await using serving = started();
  const output = await execute(serving, { command: 'true' });
  expect(await (await get(serving, `/api/bash/bash_events/${output.id}`)).json()).toEqual(output);
  const unknown = await get(serving, '/api/bash/bash_events/nothing');
  expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not Found' }]);
  await using listening = await serving.listen(0);
  const body = JSON.stringify([output.command_id, 'nothing', output.id]);
  const headers = { 'X-Session-API-Key': testKey, 'content-type': 'application/json', 'content-length': body.length };
  const sending = request(`${listening.url}/api/bash/bash_events/`, { headers });
  sending.end(body);
  const [response] = await once(sending, 'response');
  expect(await json(response)).toMatchObject([{ kind: 'BashCommand' }, null, { id: output.id }]);
});

test('events survive a restart in a directory that only the user can read, until they are removed', async () => {
  await using directory = await temporaryDirectory();
  const options = { home: directory.at('home') };
  const events = directory.at('home', 'bash_events');
  await using serving = started(options);
  const output = await execute(serving, { command: 'echo kept' });
  await using restarted = started(options);
  expect(await (await get(restarted, `/api/bash/bash_events/${output.id}`)).json()).toEqual(output);
  const names = await readdir(events);
  expect(names.map((name) => name.replaceAll(/[0-9a-f]{20,}/g, 'N')).toSorted()).toEqual([
    'N_BashCommand_N',
    'N_BashOutput_N_N',
  ]);
  expect((await stat(events)).mode & 0o777).toBe(0o700);
  expect((await stat(`${events}/${names[0]}`)).mode & 0o777).toBe(0o600);
  await writeFile(`${events}/notes.txt`, 'mine');
  await writeFile(`${events}/20261121000158592142_BashCommand_${'0'.repeat(32)}`, '{"id":');
  expect(await everyItem(restarted, '/api/bash/bash_events/search')).toHaveLength(2);
  const cleared = await send(restarted, 'DELETE', '/api/bash/bash_events');
  expect(await cleared.json()).toEqual({ cleared_count: 3 });
  expect(await readdir(events)).toEqual(['notes.txt']);
});

test('a program in the background continues after its command without a sandbox, if its output goes elsewhere', async () => {
  await using directory = await temporaryDirectory();
  await using serving = started({ workspaceRoot: directory.path });
  const program = 'while [ ! -e stop ]; do sleep 0.05; done; touch stopped';
  expect(await execute(serving, { command: `(${program}) > log 2>&1 &` })).toMatchObject({ exit_code: 0 });
  expect(await execute(serving, { command: 'ls' })).toMatchObject({ stdout: 'log\n' });
  await execute(serving, { command: 'touch stop' });
  await expect.poll(async () => readdir(directory.path)).toContain('stopped');
});

test('a server that stops ends its commands', async () => {
  const serving = started();
  const running = execute(serving, { command: 'echo started; sleep 60' });
  const events = () => everyItem(serving, '/api/bash/bash_events/search');
  await expect.poll(events, { timeout: 20_000 }).toHaveLength(1);
  await serving[Symbol.asyncDispose]();
  expect(await running).toMatchObject({ exit_code: -1 });
});

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: commands of clients in a sandbox. ${problem}\n`);

test.skipIf(problem !== undefined)('commands run in the sandbox of the settings, in their directory', async () => {
  const at = homeServer();
  at.write('.ssh/id_rsa', 'THE KEY');
  const run = async (profile: string): Promise<BashOutput> => {
    at.write('.varve/config.json', { sandbox: { profile } });
    const command = 'cat ~/.ssh/id_rsa; echo inside > inside.txt; echo outside > ../outside.txt';
    return execute(at.server, { command, cwd: at.project });
  };
  const refused = await run('workspace');
  expect(refused).toMatchObject({ stdout: null });
  expect(await readdir(at.userHome)).not.toContain('outside.txt');
  expect(await readFile(join(at.project, 'inside.txt'), 'utf8')).toBe('inside\n');
  expect(await run('off')).toMatchObject({ exit_code: 0, stdout: 'THE KEY' });
});
