import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Listening } from '../listen.ts';
import { message, requestFor, runningServer, type RunningServer } from '../../../test/support/running-server.ts';
import { connectSocket } from '../../../test/support/socket-client.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { testKey } from '../../../test/support/requests.ts';

const directory = await temporaryDirectory();
const rights = { scopes: ['read', 'run'] } as const;
let now = 1_000_000;
let running: RunningServer;
let listening: Listening;

beforeAll(async () => {
  running = await runningServer([{ fault: { kind: 'hang', afterPieces: 0 } }, { text: 'Done.' }], {
    workspaceRoot: directory.path,
    scopedKeys: [
      { key: 'key-of-alice', owner: 'alice', ...rights },
      { key: 'key-of-bob', owner: 'bob', ...rights },
      { key: 'key-of-carol', owner: 'carol', ...rights },
    ],
    maxRequestsByOwner: 5,
    maxRunsByOwner: 1,
    now: () => now,
  });
  listening = await running.server.listen(0);
});

afterAll(async () => {
  await listening[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function ask(key: string, path = '/count', body?: unknown) {
  const response = await running.server.request(`/api/conversations${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Session-API-Key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { detail, id } = (await response.json()) as { readonly detail?: string; readonly id?: string };
  return { status: response.status, detail, id, wait: response.headers.get('retry-after') };
}

async function create(key: string): Promise<string> {
  const { id = '' } = await ask(key, '', { ...requestFor(running.model, '.'), workspace: { working_dir: '.' } });
  return id;
}

test('an owner can send so many requests within a minute, and others are not affected', async () => {
  now += 60_000;
  for (let sent = 0; sent < 5; sent += 1) expect((await ask('key-of-alice')).status).toBe(200);
  now += 20_000;
  expect(await ask('key-of-alice')).toMatchObject({
    status: 429,
    wait: '40',
    detail: 'The owner of the key has sent too many requests within a minute.',
  });
  expect((await ask('key-of-bob')).status).toBe(200);
  for (let sent = 0; sent < 8; sent += 1) expect((await ask(testKey)).status).toBe(200);
  now += 40_000;
  expect((await ask('key-of-alice')).status).toBe(200);
});

test('messages on sockets count as requests', async () => {
  now += 60_000;
  const id = await create('key-of-carol');
  for (let sent = 0; sent < 4; sent += 1) await ask('key-of-carol');
  const headers = { 'X-Session-API-Key': 'key-of-carol' };
  await using socket = await connectSocket(`${listening.url}/sockets/events/${id}`, { headers });
  socket.send({ role: 'user', content: 'Go.' });
  expect(await socket.find('TooManyRequests')).toContain('too many requests');
});

test('an owner with as many runs as it may have is refused another one, and others are not', async () => {
  now += 60_000;
  const [first, second, other] = [
    await create('key-of-alice'),
    await create('key-of-alice'),
    await create('key-of-bob'),
  ];
  expect((await ask('key-of-alice', `/${first}/events`, message('Go.', true))).status).toBe(200);
  expect(await ask('key-of-alice', `/${second}/events`, message('Go.', true))).toMatchObject({
    status: 429,
    wait: '5',
    detail: '1 runs of the owner alice are active or wait.',
  });
  expect((await ask('key-of-bob', `/${other}/events`, message('Go.', true))).status).toBe(200);
  // Otherwise the end of the server waits for them.
  for (const id of [first, other]) expect((await ask(testKey, `/${id}/interrupt`, {})).status).toBe(200);
});
