import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import type { ServerEnv } from '../route/route.ts';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { testKey } from '../../../test/support/requests.ts';
import { testApp } from '../../../test/support/test-app.ts';
import { checkHost } from './check-host.ts';
import { failedKeys } from './failed-keys.ts';

const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });

test.for(['/', '/alive', '/health', '/ready', '/server_info', '/openapi.json'])('%s is open', async (path) => {
  expect((await started().request(path)).status).toBe(200);
});

test.for<readonly [string, Record<string, string>, number]>([
  ['no key', {}, 401],
  ['an empty key', { 'X-Session-API-Key': '' }, 401],
  ['a wrong key', { 'X-Session-API-Key': `${testKey}x` }, 401],
  ['the beginning of a key', { 'X-Session-API-Key': testKey.slice(0, -1) }, 401],
  ['a key in a cookie', { cookie: `oh_workspace_session_key=${testKey}` }, 401],
  ['a key as a bearer', { authorization: `Bearer ${testKey}` }, 401],
  ['the key', { 'X-Session-API-Key': testKey }, 200],
  ['the key under a name in lower case', { 'x-session-api-key': testKey }, 200],
  ['a second key', { 'X-Session-API-Key': 'another' }, 200],
])('%s is answered as it should be', async ([, headers, status]) => {
  const serving = started({ keys: [testKey, 'another'] });
  const response = await serving.request('/api/conversations/count', { headers });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(status === 401 ? '{"detail":"Unauthorized"}' : '0');
});

test.for([
  '/api/conversations/search?limit=0',
  '/api/conversations/nope',
  '/api/nothing',
  '/%61pi/conversations/count',
  '/api/conversations/search?session_api_key=key-of-the-tests',
])('%s asks for the key before anything else', async (path) => {
  expect((await started().request(path)).status).toBe(401);
});

test.for<readonly [string, number]>([
  ['', 401],
  ['?session_api_key=wrong', 401],
  [`?session_api_key=${testKey}`, 404],
])('an EventSource, which can send no header, has the key in its query: %j', async ([query, status]) => {
  expect((await started().request(`/api/conversations/unknown/events/stream${query}`)).status).toBe(status);
});

test.for([[[]], [['']], [['two words']], [['ключ']]])('%j are invalid keys', ([keys = []]) => {
  expect(() => started({ keys })).toThrow(expect.objectContaining({ code: 'invalid' }));
});

const hosts: Partial<ServerOptions> = { host: 'box.lan', allowedHosts: ['Proxy.example'] };

test.for<readonly [string, number]>([
  ['localhost', 200],
  ['LOCALHOST:8000', 200],
  ['127.0.0.1:8000', 200],
  ['127.8.9.1', 200],
  ['[::1]:8000', 200],
  ['box.lan:8000', 200],
  ['proxy.example', 200],
  ['evil.example', 403],
  ['evil.example:8000', 403],
  ['localhost.evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost@evil.example', 403],
  ['evil.example@localhost', 403],
  ['evil.example/localhost', 403],
  ['192.168.0.7:8000', 403],
  ['0.0.0.0', 403],
  ['', 403],
])('a request for the host "%s" is answered with %i', async ([host, status]) => {
  const response = await started(hosts).request('/alive', { headers: { host } });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(status === 403 ? 'is not served here.' : 'ok');
});

test.for<readonly [listening: string, named: string, status: number]>([
  ['0.0.0.0', '10.0.0.5:8000', 200],
  ['::', '10.0.0.5', 200],
  ['0.0.0.0', '10.0.0.6', 403],
  ['0.0.0.0', '0.0.0.0', 200],
  ['0.0.0.0', 'evil.example', 403],
  ['10.0.0.1', '10.0.0.5', 403],
])('listening at %s, a call to 10.0.0.5 that names %s is answered with %i', async ([host, named, status]) => {
  const app = new Hono<ServerEnv>().use(checkHost({ host, allowed: [] })).get('/', (context) => context.text('ok'));
  const connection = { incoming: { socket: { localAddress: '::ffff:10.0.0.5' } } };
  expect((await app.request('/', { headers: { host: named } }, connection)).status).toBe(status);
});

test.for<readonly [string, number]>([
  ['https://app.example', 200],
  ['http://box.lan:8000', 200],
  ['http://app.example', 403],
  ['https://app.example:444', 403],
  ['https://app.example.evil.example', 403],
  ['http://localhost:3000', 200],
  ['https://127.0.0.1', 200],
  ['http://localhost:3000/', 403],
  ['http://localhost.evil.example', 403],
  ['http://localhost@evil.example', 403],
  ['ftp://localhost', 403],
  ['file://localhost', 403],
  ['http://box.lan:8001', 403],
  ['null', 403],
  ['', 403],
])('a page of "%s" is answered with %i', async ([origin, status]) => {
  const serving = started({ ...hosts, allowedOrigins: ['https://app.example'] });
  const response = await serving.request('/alive', { headers: { host: 'box.lan:8000', origin } });
  expect(response.status).toBe(status);
  const readable = response.headers.get('access-control-allow-origin');
  expect(readable).toBe(status === 200 && origin !== 'http://box.lan:8000' ? origin : null);
});

test('responses are not readable across origins unless the origin is allowed', async () => {
  const preflight = { method: 'OPTIONS', headers: { origin: 'https://app.example' } };
  expect((await started().request('/api/conversations/search', preflight)).status).toBe(403);
});

test('a page of an allowed origin passes the preflight and may read error responses', async () => {
  const serving = started({ allowedOrigins: ['https://app.example'] });
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-session-api-key',
  };
  const preflight = await serving.request('/api/conversations/search', { method: 'OPTIONS', headers });
  expect(preflight.ok).toBe(true);
  expect(preflight.headers.get('access-control-allow-headers')).toBe('x-session-api-key');
  expect(preflight.headers.get('access-control-allow-credentials')).toBe('true');
  const refused = await serving.request('/api/conversations/search', { headers: { origin: 'https://app.example' } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(refused.headers.get('vary')).toContain('Origin');
});

test.for(['*', 'app.example', 'https://app.example/', 'null'])('"%s" is an invalid origin', (origin) => {
  expect(() => started({ allowedOrigins: [origin] })).toThrow(expect.objectContaining({ code: 'invalid' }));
});

const sessionPath = '/api/auth/workspace-session';
const filePath = '/api/conversations/0123/workspace/a.html';

async function startedSession(host: string, more: Record<string, string> = {}): Promise<string> {
  const headers = { host, 'X-Session-API-Key': testKey, ...more };
  const response = await started(hosts).request(sessionPath, { method: 'POST', headers });
  expect(response.status).toBe(204);
  return response.headers.get('set-cookie') ?? '';
}

test.for<readonly [host: string, more: Record<string, string>, attributes: string]>([
  ['localhost:8000', {}, 'SameSite=None; Partitioned'],
  ['box.lan', { 'x-forwarded-proto': 'https' }, 'SameSite=None; Partitioned'],
  ['box.lan', {}, 'SameSite=Lax'],
])('the cookie of %s %j does not contain the key', async ([host, more, attributes]) => {
  const cookie = await startedSession(host, more);
  expect(cookie).not.toContain(testKey);
  expect(cookie).toMatch(/^oh_workspace_session_key=[\w-]{43}; Max-Age=34560000; Path=\/api\/conversations; HttpOnly;/);
  expect(cookie.includes('Secure')).toBe(attributes.includes('None'));
  expect(cookie).toContain(attributes);
});

test('ending a session removes its cookie', async () => {
  const headers = { host: 'localhost', 'X-Session-API-Key': testKey };
  const response = await started().request(sessionPath, { method: 'DELETE', headers });
  expect(response.headers.get('set-cookie')).toMatch(/^oh_workspace_session_key=; Max-Age=0;/);
});

test.for<
  readonly [string, string, { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }, boolean]
>([
  ['a file', filePath, {}, true],
  ['the directory', '/api/conversations/0123/workspace', {}, true],
  ['a file, by a page of the server', filePath, { headers: { 'sec-fetch-site': 'same-origin' } }, true],
  [
    'a file, by a page of the server that names its origin',
    filePath,
    { headers: { origin: 'http://localhost' } },
    true,
  ],
  ['a file, by the person', filePath, { headers: { 'sec-fetch-site': 'none' } }, true],
  ['a file, by the page of another site', filePath, { headers: { 'sec-fetch-site': 'cross-site' } }, false],
  ['a file, by the page of another port', filePath, { headers: { origin: 'http://localhost:3000' } }, false],
  ['a file, embedded by the page of another port', filePath, { headers: { 'sec-fetch-site': 'same-site' } }, false],
  ['a change', filePath, { method: 'POST' }, false],
  ['a removal', filePath, { method: 'DELETE' }, false],
  ['events', '/api/conversations/0123/events/search', {}, false],
  ['a path that leaves it', '/api/conversations/0123/workspace/../events/search', {}, false],
  ['a path that leaves it, encoded', '/api/conversations/0123/workspace/%2e%2e/events/search', {}, false],
  ['a similar path', '/api/conversations/0123/workspaces', {}, false],
  ['the path as a query', '/api/conversations/count?x=/api/conversations/0123/workspace/', {}, false],
  ['settings', '/api/settings', {}, false],
])('a session is accepted for files only: %s', async ([, path, init, isAccepted]) => {
  const [cookie = ''] = (await startedSession('localhost')).split(';');
  const headers = { host: 'localhost', cookie, ...init.headers };
  const response = await started().request(path, { ...init, headers });
  expect(response.status === 401).toBe(!isAccepted);
});

test.for<readonly [Readonly<Record<string, string>>, boolean]>([
  [{ origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, true],
  [{ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }, false],
])('with an allowed origin, a session is accepted for a page with %j: %s', async ([more, isAccepted]) => {
  const [cookie = ''] = (await startedSession('localhost')).split(';');
  const serving = started({ allowedOrigins: ['https://app.example'] });
  const response = await serving.request(filePath, { headers: { host: 'localhost', cookie, ...more } });
  expect(response.status === 401).toBe(!isAccepted);
});

test.for(['', testKey, 'x'.repeat(43), `${'x'.repeat(42)}é`])('the cookie "%s" is not accepted', async (value) => {
  const headers = { host: 'localhost', cookie: `oh_workspace_session_key=${value}` };
  expect((await started().request(filePath, { headers })).status).toBe(401);
});

test('wrong keys from a network are limited by their address, and those of this machine are not', () => {
  let now = 0;
  const failed = failedKeys({ now: () => now, most: 3, windowMs: 1000 });
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '10.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1']) {
    failed.add(address);
  }
  expect(failed.waitOf('10.0.0.1')).toBe(1000);
  for (const address of ['10.0.0.2', '127.0.0.1', '::ffff:127.0.0.1', '::1', undefined]) {
    expect(failed.waitOf(address)).toBe(0);
  }
  for (const host of ['1', '2', '3']) failed.add(`2001:db8:0:1::${host}`);
  expect(failed.waitOf('2001:db8:0:1:ffff::9')).toBeGreaterThan(0);
  expect(failed.waitOf('2001:db8:0:2::1')).toBe(0);
  now = 1000;
  expect(failed.waitOf('10.0.0.1')).toBe(0);
});

test('an address that sent too many wrong keys is refused, also with the key', async () => {
  const { app } = testApp({});
  const connection = { sender: '10.0.0.5' };
  const send = (key: string) =>
    app.request('/api/conversations/count', { headers: { 'X-Session-API-Key': key } }, connection);
  for (let count = 0; count < 100; count += 1) expect((await send('wrong')).status).toBe(401);
  const refused = await send(testKey);
  expect([refused.status, await refused.json()]).toEqual([429, { detail: 'Too many wrong keys.' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a key appears in no answer and in no line of the log, whatever an error contains', async () => {
  const lines: string[] = [];
  const log = { level: 'debug', stream: { write: (line: string) => lines.push(line) } } as const;
  const store = memoryStore();
  store.list = async () => {
    throw new Error(`The server ${testKey} failed for ${Buffer.from(testKey).toString('base64')}.`);
  };
  const serving = started({ store, log });
  const headers = { 'X-Session-API-Key': testKey };
  const response = await serving.request(`/api/conversations/search?x=${testKey}`, { headers });
  expect(response.status).toBe(500);
  await serving.request(`/api/${testKey}`, { headers });
  await serving.request('/alive', { headers: { host: `${testKey}.example` } });
  const everything = [await response.text(), ...lines].join('\n');
  expect(everything).toContain('<secret-hidden>');
  expect(everything).not.toContain(testKey);
  expect(everything).not.toContain(Buffer.from(testKey).toString('base64'));
});

test('no response may be taken for anything but its content type', async () => {
  for (const path of ['/alive', '/api/nothing', '/openapi.json']) {
    expect((await started().request(path)).headers.get('x-content-type-options')).toBe('nosniff');
  }
});
