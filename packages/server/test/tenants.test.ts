import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerOptions } from '../src/server-options.ts';
import type { Scope } from '../src/access.ts';
import type { Listening } from '../src/http/listen.ts';
import { routes } from '../src/http/routes.ts';
import { scopeOf } from '../src/http/guards/scopes.ts';
import { message, requestFor, runningServer, type RunningServer } from './support/running-server.ts';
import { connectSocket, rejectedStatus } from './support/socket-client.ts';
import { testKey } from './support/requests.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const secret = 'the-secret-of-alice';
const unknown = 'f'.repeat(32);
const log: string[] = [];
const directory = await temporaryDirectory();
const options: Partial<ServerOptions> = {
  home: directory.at('home'),
  env: { PATH: process.env['PATH'], LLM_MODEL: 'openai/scripted', LLM_API_KEY: 'sk-of-the-test' },
  workspaceRoot: directory.path,
  frontEnd: directory.path,
  scopedKeys: [
    { key: 'key-of-alice', owner: 'alice', scopes: ['read', 'run'] },
    { key: 'key-of-bob', owner: 'bob', scopes: ['read', 'run'] },
    { key: 'key-of-a-reader', owner: 'alice', scopes: ['read'] },
    { key: 'key-without-an-owner', scopes: ['read', 'run'] },
  ],
  async authenticate({ headers, method, body }) {
    if (method !== 'GET' || body !== null) throw new Error('The body is for the route.');
    const token = headers.get('authorization') ?? headers.get('x-session-api-key') ?? '';
    if (token.endsWith('broken')) throw new Error(secret);
    if (token.endsWith('null')) return null as unknown as undefined;
    const [, owner] = /^(?:Bearer )?token-of-(\w+)$/.exec(token) ?? [];
    return owner === undefined ? undefined : { owner, scopes: ['read', 'run'] };
  },
  log: { level: 'debug', stream: { write: (line) => log.push(line) } },
};
let running: RunningServer;
let listening: Listening;
let [ofAlice, ofBob, ofNobody] = ['', '', ''];

async function ask(key: string, method: string, path: string, body?: unknown): Promise<Response> {
  return running.server.request(path, {
    method,
    headers: { 'X-Session-API-Key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function create(key: string, body: object = {}): Promise<string> {
  const request = { ...requestFor(running.model, '.'), workspace: { working_dir: 'project' }, ...body };
  const response = await ask(key, 'POST', '/api/conversations', request);
  const { id, detail } = (await response.json()) as { readonly id?: string; readonly detail?: string };
  return id ?? `${response.status} ${detail}`;
}

async function idsFor(key: string, query = ''): Promise<ReadonlySet<string>> {
  const page = await (await ask(key, 'GET', `/api/conversations/search${query}`)).json();
  return new Set((page as { readonly items: readonly { readonly id: string }[] }).items.map(({ id }) => id));
}

beforeAll(async () => {
  running = await runningServer([], options);
  listening = await running.server.listen(0);
  ofAlice = await create('key-of-alice', { title: secret });
  await ask('key-of-alice', 'POST', `/api/conversations/${ofAlice}/events`, message(secret));
  ofBob = await create('key-of-bob');
  ofNobody = await create('key-without-an-owner');
});

afterAll(async () => {
  await listening[Symbol.asyncDispose]();
  await running[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

test('every route has a scope', async () => {
  const lines = routes.map(({ method, path }) => `${scopeOf(method.toUpperCase(), path)} ${method} ${path}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/scopes.txt');
});

const ofConversation = routes.filter(({ path }) => path.includes('{conversation_id}'));
const bodies: Readonly<Record<string, object>> = { events: message('x'), fork: {}, goal: { objective: 'x' } };

test.for(ofConversation.map(({ method, path }) => [method.toUpperCase(), path] as const))(
  '%s %s answers for the conversation of another owner as for an unknown one',
  async ([method, path]) => {
    const answer = async (id: string): Promise<string> => {
      const address = path.replace('{conversation_id}', id).replaceAll(/\{\w+\}/g, 'x');
      const body = method === 'GET' || method === 'DELETE' ? undefined : (bodies[path.split('/').at(-1) ?? ''] ?? {});
      const response = await ask('key-of-bob', method, address, body);
      // A stream has no end.
      if (response.ok) return `${response.status}`;
      return `${response.status} ${await response.text()}`;
    };
    expect(await answer(ofAlice)).toBe('404 {"detail":"Not Found"}');
    expect(await answer(ofAlice.replaceAll('-', '').toUpperCase())).toBe(await answer(unknown));
    expect((await ask(testKey, 'GET', `/api/conversations/${ofAlice}`)).status).toBe(200);
  },
);

test.for(
  routes
    .map(({ method, path }) => ({ method: method.toUpperCase(), path, scope: scopeOf(method.toUpperCase(), path) }))
    .filter(({ path }) => /^\/(?:api\/(?!init$)|v1|metrics)/.test(path)),
)('$method $path needs the scope $scope', async ({ method, path, scope }) => {
  const address = path.replaceAll(/\{\w+\}/g, 'x');
  const [owner, reader] = [await ask('key-of-bob', method, address), await ask('key-of-a-reader', method, address)];
  const sentence = JSON.stringify({ detail: `The key has no scope ${scope}.` });
  const isRefused: Record<Scope, readonly boolean[]> = {
    read: [false, false],
    run: [false, true],
    admin: [true, true],
  };
  const texts = [await owner.text(), await reader.text()];
  expect([owner, reader].map(({ status }) => status === 403)).toEqual(isRefused[scope]);
  expect(texts.map((text) => text.includes(sentence.slice(1, -1)))).toEqual(isRefused[scope]);
});

test('searches, counts and lists of ids contain what the key sees', async () => {
  for (const [key, ids] of [
    ['key-of-alice', [ofAlice]],
    ['key-of-a-reader', [ofAlice]],
    ['key-of-bob', [ofBob]],
    ['key-without-an-owner', [ofNobody]],
    [testKey, [ofAlice, ofBob, ofNobody]],
  ] as const) {
    expect(await idsFor(key)).toEqual(new Set(ids));
    expect(await idsFor(key, '?status=idle')).toEqual(new Set(ids));
    for (const query of ['', '?status=idle'])
      expect(await (await ask(key, 'GET', `/api/conversations/count${query}`)).json()).toBe(ids.length);
    const all = [ofAlice, ofBob, ofNobody];
    const listed = await (await ask(key, 'GET', `/api/conversations?ids=${all.join('&ids=')}`)).json();
    const seen = (listed as readonly ({ readonly id: string } | null)[]).map((info) => info?.id);
    expect(seen).toEqual(all.map((id) => (ids.some((each) => each === id) ? id : undefined)));
  }
});

test('the place of the conversation of another owner in the order is not shown', async () => {
  for (const [key, id] of [
    ['key-of-bob', ofBob],
    ['key-without-an-owner', ofNobody],
  ] as const)
    expect(await idsFor(key, `?page_id=${ofAlice}`)).toEqual(new Set([id]));
});

test('an id of another owner can be neither created, nor be a parent, nor the id of a fork', async () => {
  expect(await create('key-of-bob', { conversation_id: ofAlice })).toBe(
    `409 Conversation with id ${ofAlice} already exists`,
  );
  expect(await create('key-of-alice', { conversation_id: ofAlice })).toBe(ofAlice);
  expect(await create('key-of-bob', { parent_conversation_id: ofAlice })).toContain('Parent conversation not found');
  expect((await ask('key-of-bob', 'POST', `/api/conversations/${ofBob}/fork`, { id: ofAlice })).status).toBe(409);
});

test('children and forks belong to the owner of their origin, also if another key creates them', async () => {
  const fork = await ask(testKey, 'POST', `/api/conversations/${ofBob}/fork`);
  const { id } = (await fork.json()) as { readonly id: string };
  const { workspace } = (await (await ask(testKey, 'GET', `/api/conversations/${ofBob}`)).json()) as {
    readonly workspace: { readonly working_dir: string };
  };
  const child = await create(testKey, { parent_conversation_id: ofBob, workspace });
  expect(await idsFor('key-of-bob')).toEqual(new Set([ofBob, id, child]));
  for (const each of [id, child]) await ask('key-of-bob', 'DELETE', `/api/conversations/${each}`);
  expect(await idsFor('key-of-bob')).toEqual(new Set([ofBob]));
});

test('the directory of a conversation is below one of its owner', async () => {
  const { path: workspaceRoot } = directory;
  for (const working_dir of ['/etc', '..', workspaceRoot, `${workspaceRoot}/owners/x`])
    expect(await create('key-of-bob', { workspace: { working_dir } })).toMatch(/^403 The workspace .+ is outside of/);
  expect(await create('key-of-bob', { worktree: true })).toBe('403 A worktree needs a key with the scope admin.');
  expect(existsSync(join(workspaceRoot, 'owners'))).toBe(true);
  // Front ends make up such a path for the directory of the server.
  const id = 'e'.repeat(32);
  await create('key-of-bob', { conversation_id: id, workspace: { working_dir: `a/workspace/project/${id}/` } });
  const info = await (await ask('key-of-bob', 'GET', `/api/conversations/${id}`)).json();
  expect(info).toMatchObject({ workspace: { working_dir: expect.stringContaining('/owners/') } });
});

test.for([
  ['the header', { headers: { 'X-Session-API-Key': 'key-of-bob' } }, ''],
  ['the query', {}, '&session_api_key=key-of-bob'],
  ['a token', { headers: { authorization: 'Bearer token-of-bob' } }, ''],
] as const)('a socket with a key in %s receives nothing of another owner', async ([, handshake, query]) => {
  const url = `${listening.url}/sockets/events/${ofAlice}?resend_mode=all${query}`;
  await using socket = await connectSocket(url, handshake);
  expect(await socket.ended).toMatchObject({ reason: 'Conversation not found' });
  expect(socket.texts).toEqual([]);
  await using own = await connectSocket(url.replace(ofAlice, ofBob), handshake);
  await own.received(1);
});

test.for(['key-of-bob', 'token-of-bob'])(
  'a socket with %s in its first message receives nothing of another owner',
  async (key) => {
    await using socket = await connectSocket(`${listening.url}/sockets/events/${ofAlice}?resend_mode=all`);
    socket.send({ type: 'auth', session_api_key: key });
    expect(await socket.ended).toMatchObject({ reason: 'Conversation not found' });
    expect(socket.texts).toEqual([]);
  },
);

test('a socket needs the scopes of what it does', async () => {
  const headers = { 'X-Session-API-Key': 'key-of-a-reader' };
  expect(await rejectedStatus(`${listening.url}/sockets/bash-events`, { headers })).toBe(403);
  await using unasked = await connectSocket(`${listening.url}/sockets/bash-events`);
  unasked.send({ type: 'auth', session_api_key: 'key-of-bob' });
  expect(await unasked.ended).toMatchObject({ reason: 'Authentication failed' });
  await using reader = await connectSocket(`${listening.url}/sockets/events/${ofAlice}`, { headers });
  reader.send({ role: 'user', content: 'Go.' });
  expect(await reader.find('Forbidden')).toContain('The key has no scope run.');
});

test('the gateway continues no conversation of another owner', async () => {
  const headers = { authorization: 'Bearer key-of-bob', 'content-type': 'application/json' };
  const response = await running.server.request('/v1/chat/completions', {
    method: 'POST',
    headers: { ...headers, 'X-OpenHands-ServerConversation-ID': ofAlice },
    body: JSON.stringify({ model: 'openhands_default', messages: [{ role: 'user', content: 'Go.' }] }),
  });
  expect(await response.text()).toContain(`Conversation with id ${ofAlice} already exists`);
});

const count = async (authorization: string): Promise<unknown> => {
  const response = await running.server.request('/api/conversations/count', { headers: { authorization } });
  return response.ok ? response.json() : [response.status, await response.text()];
};

test('a function authenticates requests that contain none of the keys', async () => {
  expect(await count('Bearer token-of-alice')).toBe(1);
  for (const token of ['other', 'null']) expect(await count(token)).toEqual([401, '{"detail":"Unauthorized"}']);
  expect(await count('Bearer broken')).toEqual([503, expect.not.stringContaining(secret)]);
  expect(log.join('')).toContain('authenticate');
});

test('no key is logged', async () => {
  for (const key of ['key-of-alice', 'key-of-bob']) expect(log.join('')).not.toContain(key);
});
