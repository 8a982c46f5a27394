import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { scriptedServer, type ScriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { runVarve } from './run-varve.ts';

const main = appMain('cli');
const done = (message: string): ScriptedTurn => ({ calls: [{ name: 'finish', arguments: { message } }] });
const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

/** Result of a tool. */
interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** A client of the command. */
class TestClient implements AsyncDisposable {
  readonly home: string;
  readonly progress: string[] = [];
  #onProgress: () => void = () => undefined;
  readonly #client = new Client({ name: 'test', version: '1' });
  readonly #transport: StdioClientTransport;

  private constructor(home: string, url: string, args: readonly string[]) {
    this.home = home;
    const options = ['mcp-server', '--base-url', url, '--model', 'scripted', '--sandbox', 'off', ...args];
    const env = Object.entries(processEnvironment(home)).flatMap(([name, value]) => (value ? [[name, value]] : []));
    this.#transport = new StdioClientTransport({
      command: process.execPath,
      args: [main, ...options],
      env: Object.fromEntries(env),
      cwd: home,
      stderr: 'ignore',
    });
  }

  /** Starts the command. */
  static async start({ url }: Pick<ScriptedServer, 'url'>, ...args: readonly string[]): Promise<TestClient> {
    const home = await realpath(await mkdtemp(join(tmpdir(), 'varve mcp ')));
    const client = new TestClient(home, url, args);
    await client.#client.connect(client.#transport);
    return client;
  }

  async tools(): Promise<readonly string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const onprogress = ({ message = '' }): void => {
      this.progress.push(message);
      this.#onProgress();
    };
    const result = await this.#client.callTool({ name, arguments: { ...args } }, { onprogress });
    const [block] = result.content;
    return {
      data: { ...(result.structuredContent as object) },
      text: block?.type === 'text' ? block.text : '',
      isError: result.isError === true,
    };
  }

  /** Resolves when a line was sent as progress. */
  async sent(line: string): Promise<void> {
    return new Promise((resolve) => {
      this.#onProgress = () => this.progress.includes(line) && resolve();
      this.#onProgress();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

test('a client starts a task, follows it, and reads its log', async () => {
  await using server = await scriptedServer([command('echo made > made.txt'), done('It is made.')]);
  await using client = await TestClient.start(server, '--confirm', 'never');
  const { data } = await client.call('start_task', { task: 'Make it.', wait_seconds: 60 });
  expect(data).toEqual({ id: expect.any(String), status: 'finished', text: 'It is made.', waiting: [] });
  expect(await readFile(join(client.home, 'made.txt'), 'utf8')).toBe('made\n');
  expect(client.progress).toContain('$ echo made > made.txt');
  const log = await client.call('read_log', { id: data['id'] });
  expect(log.text).toContain('› Make it.');
  const part = await client.call('read_log', { id: data['id'], limit: 3 });
  expect(part.data).toMatchObject({ next: 3 });
  const listed = await client.call('list_conversations', { workspace: client.home });
  expect(listed.data).toMatchObject({ conversations: [{ id: data['id'], title: 'Make it.', workspace: client.home }] });
});

test('a call that waits is approved with its digest only, and runs then', async () => {
  await using server = await scriptedServer([command('echo made > made.txt'), done('Done.')]);
  await using client = await TestClient.start(server, '--confirm', 'ask');
  const { data } = await client.call('start_task', { task: 'Make it.', wait_seconds: 60 });
  expect(data).toMatchObject({ status: 'waiting', waiting: [expect.stringContaining('$ echo made > made.txt')] });
  const other = await client.call('approve_calls', { id: data['id'], digest: 'f'.repeat(64) });
  expect([other.isError, other.text]).toEqual([true, expect.stringContaining('not the approved ones')]);
  const approved = await client.call('approve_calls', { id: data['id'], digest: data['digest'], wait_seconds: 60 });
  expect(approved.data).toMatchObject({ status: 'finished', text: 'Done.' });
  expect(await readFile(join(client.home, 'made.txt'), 'utf8')).toBe('made\n');
});

test('the model reads why a call was rejected, and messages continue a conversation', async () => {
  await using server = await scriptedServer([command('echo 1'), done('Left.'), done('Right.')]);
  await using client = await TestClient.start(server, '--confirm', 'ask');
  const { data } = await client.call('start_task', { task: 'Go.', wait_seconds: 60 });
  const rejected = await client.call('reject_calls', { id: data['id'], reason: 'not-this-one', wait_seconds: 60 });
  expect(rejected.data).toMatchObject({ status: 'finished', text: 'Left.' });
  expect(server.requests[1]?.text).toContain('not-this-one');
  const id = String(data['id']).slice(0, 8);
  const continued = await client.call('continue_task', { id, message: 'And then?', wait_seconds: 60 });
  expect(continued.data).toMatchObject({ id: data['id'], status: 'finished', text: 'Right.' });
  expect(server.requests[2]?.text).toContain('And then?');
});

test('a run continues in the background, and can be stopped', async () => {
  await using server = await scriptedServer([command('sleep 600')]);
  await using client = await TestClient.start(server, '--confirm', 'never');
  const { data } = await client.call('start_task', { task: 'Wait.', wait_seconds: 0 });
  expect(data['status']).toBe('running');
  expect((await client.call('task_status', { id: data['id'], wait_seconds: 0 })).data['status']).toBe('running');
  const busy = await client.call('reject_calls', { id: data['id'], reason: 'x' });
  expect([busy.isError, busy.text]).toEqual([true, expect.stringContaining('is running')]);
  expect((await client.call('stop_task', { id: data['id'] })).data['status']).toBe('interrupted');
});

test('runs are interrupted when the client goes away, and another command continues', async () => {
  await using server = await scriptedServer([command('sleep 600'), done('Continued.')]);
  const client = await TestClient.start(server, '--confirm', 'never');
  const lost = client.call('start_task', { task: 'Wait.', wait_seconds: 60 }).catch(() => undefined);
  await client.sent('$ sleep 600');
  await client[Symbol.asyncDispose]();
  expect(await lost).toBeUndefined();
  const { stdout: listed } = await runVarve(['ls', '--json'], { home: client.home });
  const { id } = JSON.parse(listed) as { readonly id: string };
  expect((await runVarve(['show', id], { home: client.home })).stdout).toContain('Interrupted.');
  const resumed = await runVarve(['run', '--resume', id], { home: client.home });
  expect([resumed.code, resumed.stdout]).toEqual([0, 'Continued.\n']);
});

test('with --no-approvals only a person decides, and failures have the next thing to do', async () => {
  await using server = await scriptedServer([{ fault: { kind: 'answer', status: 401, body: '{}' } }]);
  await using client = await TestClient.start(server, '--no-approvals');
  expect(await client.tools()).toEqual([
    'start_task',
    'continue_task',
    'stop_task',
    'task_status',
    'read_log',
    'list_conversations',
  ]);
  const failed = await client.call('start_task', { task: 'Go.', wait_seconds: 60 });
  expect(failed.data).toMatchObject({ status: 'error', text: expect.stringContaining('varve init') });
  const missing = await client.call('task_status', { id: 'ffff' });
  expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('varve ls')]);
});

test('a conversation that a person ran without questions is continued with the policy of the command', async () => {
  await using server = await scriptedServer([done('Earlier.'), command('git push --force')]);
  await using client = await TestClient.start(server);
  const options = ['--base-url', server.url, '--model', 'scripted', '--confirm', 'never', '--sandbox', 'off'];
  const run = await runVarve(['run', ...options, 'Go.'], { home: client.home });
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  const { data } = await client.call('continue_task', { id, message: 'Push it.', wait_seconds: 60 });
  expect(data).toMatchObject({ status: 'waiting', waiting: [expect.stringContaining('git push --force')] });
});

test('a conversation of another command has its state from the log', async () => {
  await using server = await scriptedServer([done('Earlier.')]);
  await using client = await TestClient.start(server);
  const options = ['--base-url', server.url, '--model', 'scripted'];
  const run = await runVarve(['run', ...options, 'Go.'], { home: client.home });
  const id = /conversation (\w+)/.exec(run.stderr)?.[1] ?? '';
  expect((await client.call('task_status', { id })).data).toMatchObject({ id, status: 'finished', text: 'Earlier.' });
});
