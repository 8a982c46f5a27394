import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import type { ServerEnv } from '../server-env.ts';
import { server } from '../server.ts';
import type { ServerOptions } from '../server.ts';
import { testKey } from '../testing/requests.ts';
import { checkHost } from './check-host.ts';

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
  ['http://localhost:3000', 403],
  ['http://box.lan:8001', 403],
  ['null', 403],
  ['', 403],
])('a page of "%s" is answered with %i', async ([origin, status]) => {
  const serving = started({ ...hosts, allowedOrigins: ['https://app.example'] });
  const response = await serving.request('/alive', { headers: { host: 'box.lan:8000', origin } });
  expect(response.status).toBe(status);
  const readable = response.headers.get('access-control-allow-origin');
  expect(readable).toBe(origin === 'https://app.example' ? origin : null);
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
