import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { requestFor } from '../../../test/support/running-server.ts';
import { testKey } from '../../../test/support/requests.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { rejectedStatus } from '../../../test/support/socket-client.ts';

const initKey = 'key-of-the-machine';

/** Starts a server that waits for its configuration, and listens. */
async function dormant(options: Partial<ServerOptions> = {}) {
  const serving = server({ store: memoryStore(), keys: [testKey], deferred: true, env: process.env, ...options });
  const listening = await serving.listen(0);
  onTestFinished(() => listening[Symbol.asyncDispose]());
  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = { 'content-type': 'application/json' };
    const response = await fetch(`${listening.url}${path}`, { method, headers: { ...type, ...headers }, ...sent });
    return [response.status, await response.json()] as const;
  };
  const init = (body: unknown, key = testKey) => call('POST', '/api/init', { 'X-Init-API-Key': key }, body);
  return { url: listening.url, call, init, state: () => call('GET', '/api/init') };
}

test('a server that waits for its configuration refuses everything else, and is not ready', async () => {
  const { call, state, url } = await dormant();
  expect(await state()).toEqual([200, { state: 'dormant', error: null }]);
  expect(await call('GET', '/ready')).toEqual([
    503,
    { status: 'initializing', message: 'The server waits for its configuration.' },
  ]);
  const refusal = {
    detail: 'Internal Server Error',
    exception: '503: The server waits for its configuration.',
  };
  const key = { 'X-Session-API-Key': testKey };
  // The key is checked first.
  expect(await call('GET', '/api/conversations/count')).toEqual([401, { detail: 'Unauthorized' }]);
  for (const path of ['/api/conversations/count', '/api/conversations/nope', '/api/settings', '/v1/models']) {
    expect(await call('GET', path, key)).toMatchObject([503, refusal]);
  }
  expect(await rejectedStatus(`${url}/sockets/bash-events?session_api_key=${testKey}`)).toBe(503);
  for (const path of ['/alive', '/server_info']) expect((await call('GET', path))[0]).toBe(200);
});

test('a configured server uses the keys, the directories, the limits and the variables of the request', async () => {
  await using temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  const { call, init, state, url } = await dormant({ workspaceRoot: directory });
  await using model = await scriptedServer([]);
  expect(
    await init({
      session_api_keys: [initKey],
      secret_key: 'another passphrase',
      conversations_path: 'conversations',
      bash_events_dir: join(directory, 'commands'),
      conversation_worktree_root: join(directory, 'trees'),
      webhooks: [],
      web_url: 'https://machine.example/base',
      allow_cors_origins: ['https://app.example'],
      max_concurrent_runs: 2,
      env: { TZ: 'Asia/Tokyo', OPENAI_API_KEY: 'of-a-provider' },
      telemetry: { exporter: 'http' },
    }),
  ).toEqual([200, { state: 'ready', error: null }]);
  expect(await state()).toEqual([200, { state: 'ready', error: null }]);
  expect((await call('GET', '/ready'))[0]).toBe(200);
  expect((await call('GET', '/api/conversations/count', { 'X-Session-API-Key': testKey }))[0]).toBe(401);
  const key = { 'X-Session-API-Key': initKey };
  const [status, { id }] = (await call('POST', '/api/conversations', key, requestFor(model, directory))) as [
    number,
    { readonly id: string },
  ];
  expect(status).toBe(201);
  expect(readdirSync(join(directory, 'conversations'))).toContain(id.replaceAll('-', ''));
  const command = { command: 'echo "$TZ$OPENAI_API_KEY"' };
  expect((await call('POST', '/api/bash/execute_bash_command', key, command))[1]).toMatchObject({
    stdout: 'Asia/Tokyo\n',
  });
  expect(readdirSync(join(directory, 'commands'))).toHaveLength(2);
  const page = await fetch(`${url}/alive`, { headers: { origin: 'https://app.example' } });
  expect(page.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect((await call('GET', '/alive', { origin: 'https://machine.example' }))[0]).toBe(200);
  expect(await init({})).toEqual([400, { detail: 'The server does not wait for its configuration.' }]);
});

test('a configuration that cannot be used leaves the server waiting, with the reason and without paths', async () => {
  const { init, state } = await dormant({ env: { OH_SECRET_KEY: 'of-the-pool' } });
  expect((await init({}))[0]).toBe(401);
  const send = (body: unknown) => init(body, 'of-the-pool');
  expect(await send({ unknown_field: 1, max_concurrent_runs: 0 })).toMatchObject([
    422,
    { detail: [{ type: 'greater_than_equal' }, { type: 'extra_forbidden' }] },
  ]);
  expect(await state()).toEqual([200, { state: 'dormant', error: null }]);
  expect((await send({ session_api_keys: ['two words'] }))[0]).toBe(422);
  expect(await state()).toMatchObject([200, { state: 'dormant', error: expect.stringContaining('A key is empty') }]);
  const [first, second] = await Promise.all([send({}), send({})]);
  expect(new Set([first[0], second[0]])).toEqual(new Set([200, 400]));
  expect(await state()).toEqual([200, { state: 'ready', error: null }]);
});

const directories = ['conversations_path', 'bash_events_dir', 'conversation_worktree_root'];

test.for(
  directories.flatMap((field) => ['file', 'file/below', 'nul\0', '/dev/null'].map((path) => [field, path] as const)),
)('a server does not start with %s of %j, and names the field and the path', async ([field, path]) => {
  await using temporary = await temporaryDirectory();
  writeFileSync(join(temporary.path, 'file'), '');
  const { init, state, call } = await dormant({ workspaceRoot: temporary.path });
  const named = JSON.stringify(resolve(temporary.path, path));
  const detail = `${field}: ${named} is not a directory that this server can create and use.`;
  expect(await init({ [field]: path })).toEqual([422, { detail }]);
  expect(await state()).toEqual([200, { state: 'dormant', error: 'The server could not be started.' }]);
  expect((await init({ [field]: 'new/directory' }))[0]).toBe(200);
  expect((await call('GET', '/ready'))[0]).toBe(200);
});

test('a server that was started with its configuration has no initialization', async () => {
  const { call, init } = await dormant({ deferred: false });
  expect(await call('GET', '/api/init')).toEqual([404, { detail: 'Not Found' }]);
  expect(await call('POST', '/api/init', {}, {})).toEqual([401, { detail: 'Unauthorized' }]);
  expect(await init({})).toEqual([404, { detail: 'Not Found' }]);
});
