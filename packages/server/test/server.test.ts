import { expect, test } from 'vitest';
import { memoryStore, StorageError, type EventStore } from '@varve/storage';
import { server } from '../src/server.ts';
import type { ServerOptions } from '../src/server-options.ts';
import { conversationOf } from './support/conversation-of.ts';
import { get, testKey } from './support/requests.ts';

const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });

/** A store whose listing fails. */
function failing(error: Error): EventStore {
  const list = async (): Promise<never> => {
    throw error;
  };
  return Object.assign(memoryStore(), { list });
}

test.for(['/alive', '/health'])('%s returns ok', async (path) => {
  const response = await started().request(path);
  expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
  expect(response.headers.get('content-type')).toBe('application/json');
});

test('/ready reports whether the store can be read, without its location', async () => {
  const ready = await started().request('/ready');
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  const store = failing(new StorageError('io', 'The file /secret/place is gone.'));
  const response = await started({ store }).request('/ready');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: 'initializing', message: 'The store cannot be read.' });
});

test.for(['/server_info', '/'])('%s returns the version that clients require', async (path) => {
  let now = 5_000;
  const serving = started({ now: () => now });
  now += 11_900;
  const info = (await (await serving.request(path)).json()) as object;
  expect(info).toMatchObject({ uptime: 11, idle_time: 11, version: '1.43.1' });
  const { python_version, ...stable } = info as { readonly python_version: string };
  expect(python_version).toContain('Node.js');
  await expect(`${JSON.stringify(stable, undefined, 2)}\n`).toMatchFileSnapshot('golden/server-info.json');
});

test('an unknown path is 404 and an unknown method 405', async () => {
  const unknown = await get(started(), '/api/nothing');
  expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not Found' }]);
  const response = await started().request('/alive', { method: 'POST' });
  expect([response.status, await response.json()]).toEqual([405, { detail: 'Method Not Allowed' }]);
  expect(response.headers.get('allow')).toBe('GET, HEAD');
});

test('a response lists all errors of a request', async () => {
  const response = await get(
    started(),
    '/api/conversations/no%20id/events/search?limit=0&sort_order=UP&timestamp__lt=soon&kind=x',
  );
  expect(response.status).toBe(422);
  const body = JSON.stringify(await response.json(), undefined, 2);
  await expect(`${body}\n`).toMatchFileSnapshot('golden/validation-error.json');
});

test.for([
  ['limit=101', 'less_than_equal'],
  ['limit=many', 'int_parsing'],
  ['limit=1.5', 'int_parsing'],
  ['status=asleep', 'enum'],
  ['include_skills=perhaps', 'bool_parsing'],
])('%s is answered with %s', async ([query, type]) => {
  const response = await get(started(), `/api/conversations/search?${query}`);
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ detail: [{ type, loc: ['query', query?.split('=')[0]] }] });
});

test('the id of a failure is in the response and in the log', async () => {
  const lines: string[] = [];
  const log = { level: 'info', stream: { write: (line: string) => lines.push(line) } } as const;
  const serving = started({ store: failing(new Error('The disk is on fire.')), log });
  const response = await get(serving, '/api/conversations/search');
  const body = (await response.json()) as { readonly error_id: string };
  expect([response.status, body]).toMatchObject([
    500,
    { detail: 'Internal Server Error', exception: 'The disk is on fire.' },
  ]);
  expect(body.error_id).toMatch(/^[0-9a-f]{32}$/);
  expect(lines.find((line) => line.includes(body.error_id))).toContain('The disk is on fire.');
});

test('the log contains method, path and status of each request, and no keys, queries or bodies', async () => {
  const lines: string[] = [];
  const log = { level: 'info', stream: { write: (line: string) => lines.push(line) } } as const;
  const store = memoryStore();
  const id = await conversationOf(store, { meta: { title: 'A secret plan' } });
  const serving = started({ store, log });
  await get(serving, `/api/conversations/${id}?session_api_key=${testKey}`);
  await serving.request('/api/conversations/search', { headers: { 'X-Session-API-Key': 'wrong-key' } });
  await serving.request('/alive', { headers: { host: 'evil.example' } });
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.map(({ method, path, status }) => [method, path, status])).toEqual([
    ['GET', `/api/conversations/${id}`, 200],
    ['GET', '/api/conversations/search', 401],
    ['GET', '/alive', 403],
  ]);
  expect(lines.join('')).not.toMatch(/key-of-the-tests|wrong-key|secret plan|session_api_key/);
});
