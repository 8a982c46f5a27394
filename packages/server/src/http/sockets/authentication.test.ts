import { request } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { conversationOf, testId } from '../../../test/support/conversation-of.ts';
import { testKey } from '../../../test/support/requests.ts';
import { connectSocket, rejectedStatus } from '../../../test/support/socket-client.ts';
import { listenForSockets, testServices } from '../../../test/support/socket-server.ts';

const path = `/sockets/events/${testId(1)}`;
const auth = (session_api_key: unknown) => ({ type: 'auth', session_api_key });

async function oneConversation() {
  const store = memoryStore();
  await conversationOf(store, {});
  return store;
}

async function started(options: Partial<ServerOptions> = {}) {
  return server({ store: await oneConversation(), keys: [testKey], ...options }).listen(0);
}

test.for<readonly [string, Record<string, string>]>([
  [`?session_api_key=${testKey}`, {}],
  ['', { 'X-Session-API-Key': testKey }],
  ['?session_api_key=', { 'X-Session-API-Key': testKey }],
  [`?session_api_key=${testKey}`, { 'X-Session-API-Key': 'wrong' }],
])('a handshake with "%s" and %j is accepted', async ([query, headers]) => {
  await using listening = await started();
  await using client = await connectSocket(listening.url + path + query, { headers });
  expect((await client.received(1))[0]).toContain('"full_state"');
  client.send(auth('anything'));
  client.send('no JSON');
  // Answers are sent in order: the key was ignored.
  expect((await client.received(2))[1]).toContain('"code":"JSONDecodeError"');
});

test.for<readonly [string, Record<string, string>]>([
  ['?session_api_key=wrong', {}],
  ['?session_api_key=wrong', { 'X-Session-API-Key': testKey }],
  [`?session_api_key=${testKey}x`, {}],
  ['', { 'X-Session-API-Key': 'wrong' }],
  [`?session_api_key=${testKey}&resend_mode=some`, {}],
  [`?session_api_key=${testKey}&resend_mode=since&after_timestamp=soon`, {}],
  [`?session_api_key=${testKey}&after_seq=-2`, {}],
  ['', { 'X-Session-API-Key': testKey, host: 'evil.example' }],
  ['', { 'X-Session-API-Key': testKey, origin: 'http://evil.example' }],
  ['', { origin: 'null' }],
])('a handshake with "%s" and %j is rejected', async ([query, headers]) => {
  await using listening = await started();
  expect(await rejectedStatus(listening.url + path + query, { headers })).toBe(403);
});

test('a handshake for an invalid id is rejected', async () => {
  await using listening = await started();
  const headers = { 'X-Session-API-Key': testKey };
  expect(await rejectedStatus(`${listening.url}/sockets/events/no%20id`, { headers })).toBe(403);
  expect(await rejectedStatus(`${listening.url}/sockets/nothing`, { headers })).toBe(404);
});

test('a page of an allowed origin may connect', async () => {
  await using listening = await started({ allowedOrigins: ['https://app.example'] });
  const headers = { 'X-Session-API-Key': testKey, origin: 'https://app.example' };
  await using client = await connectSocket(listening.url + path, { headers });
  await client.received(1);
});

test('a client without a key receives nothing before its first message contains one', async () => {
  await using listening = await started();
  await using client = await connectSocket(listening.url + path);
  // A pong shows that the server would have sent something by now.
  client.socket.ping();
  await once(client.socket, 'pong');
  expect(client.texts).toEqual([]);
  client.send(auth(testKey));
  await client.find('"full_state"');
});

test.for<readonly [string, unknown]>([
  ['a wrong key', auth('wrong')],
  ['an empty key', auth('')],
  ['a number', auth(1)],
  ['no key', { type: 'auth' }],
  ['another type', { type: 'hello', session_api_key: testKey }],
  ['a message', { role: 'user', content: 'Hi.' }],
  ['a list', [testKey]],
  ['no JSON', testKey],
])('%s as the first message closes the socket with 4001', async ([, message]) => {
  await using listening = await started();
  await using client = await connectSocket(listening.url + path);
  client.send(message);
  client.send(auth(testKey));
  expect(await client.ended).toEqual({ code: 4001, reason: 'Authentication failed' });
  expect(client.texts).toEqual([]);
});

test('silence instead of a key closes the socket with 4001', async () => {
  await using listening = await listenForSockets(testServices(await oneConversation()), { authenticationMs: 5 });
  await using client = await connectSocket(listening.url + path);
  expect(await client.ended).toEqual({ code: 4001, reason: 'Authentication failed' });
});

test('a client that sends much before its key is disconnected', async () => {
  await using listening = await started();
  await using client = await connectSocket(listening.url + path);
  client.send('x'.repeat(100_000));
  client.send(auth(testKey));
  expect([1006, 4001]).toContain((await client.ended).code);
  expect(client.texts).toEqual([]);
});

test('the number of clients without a key is limited', async () => {
  await using listening = await listenForSockets(testServices(await oneConversation()), { unknownClients: 1 });
  await using client = await connectSocket(listening.url + path);
  expect(await rejectedStatus(listening.url + path)).toBe(503);
  await using keyed = await connectSocket(`${listening.url}${path}?session_api_key=${testKey}`);
  await keyed.received(1);
  client.send(auth(testKey));
  await client.received(1);
  await using other = await connectSocket(listening.url + path);
  other.send(auth(testKey));
  await other.received(1);
});

test('a request to upgrade to another protocol is answered without it', async () => {
  await using listening = await started();
  const headers = { connection: 'upgrade', upgrade: 'h2c' };
  const sent = request(`${listening.url}/alive`, { headers }).end();
  const [response] = (await once(sent, 'response')) as [{ readonly statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(200);
  sent.destroy();
});

test('a socket path without a handshake is not found', async () => {
  const serving = server({ store: memoryStore(), keys: [testKey] });
  const response = await serving.request(path, { headers: { 'X-Session-API-Key': testKey } });
  expect(response.status).toBe(404);
});
