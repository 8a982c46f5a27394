import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { server } from '../server.ts';
import { listen } from './listen.ts';
import type { ServerOptions } from '../server-options.ts';
import { conversationOf, testId } from '../../test/support/conversation-of.ts';
import { testKey } from '../../test/support/requests.ts';

const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });

test('a client reads conversations and events over a socket', async () => {
  const store = memoryStore();
  const event = eventFactory().user('Grüße, ☃!');
  await conversationOf(store, { events: [event] });
  await using listening = await started({ store }).listen(0);
  expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
  const path = `${listening.url}/api/conversations/${testId(1)}/events/search`;
  const response = await fetch(path, { headers: { 'X-Session-API-Key': testKey } });
  expect(await response.text()).toBe(`{"items":[${JSON.stringify(event)}],"next_page_id":null}`);
  expect((await fetch(path)).status).toBe(401);
  expect((await fetch(`${listening.url}/alive`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
});

/** Sends raw bytes and resolves with the whole response. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(request);
  return text(socket);
}

test.for([
  ['a name an attacker made', 'GET /alive HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 403],
  ['no name', 'GET /alive HTTP/1.0\r\n\r\n', 400],
  [
    'a name in the address only',
    'GET http://localhost/alive HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    403,
  ],
  ['its own name', 'GET /alive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 200],
] as const)('a request that gives %s is answered with its status', async ([, request, status]) => {
  await using listening = await started().listen(0);
  expect(await raw(listening.port, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('a server on every address accepts the called address as the host', async () => {
  await using listening = await started({ host: '0.0.0.0' }).listen(0);
  const ask = (host: string) =>
    raw(listening.port, `GET /alive HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await ask(`127.0.0.1:${listening.port}`)).toContain('200 OK');
  expect(await ask('192.168.77.77')).toContain('403 Forbidden');
});

test('the error names a port in use', async () => {
  await using listening = await started().listen(0);
  await expect(started().listen(listening.port)).rejects.toMatchObject({
    code: 'address',
    message: `Port ${listening.port} on 127.0.0.1 is already in use.`,
  });
});

/** A store whose listing waits until it is released. */
function held() {
  const store: EventStore = memoryStore();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const list = store.list.bind(store);
  store.list = async (query) => {
    // Only the request for `/ready` asks for one conversation.
    if (query?.limit !== 1) return list(query);
    ask();
    await gate;
    return list(query);
  };
  return { store, asked, release };
}

test('stopping waits for active requests and accepts no new ones', async () => {
  const { store, asked, release } = held();
  await using listening = await started({ store }).listen(0);
  const underWay = fetch(`${listening.url}/ready`);
  await asked;
  const stopped = listening[Symbol.asyncDispose]();
  const late = connect(listening.port, '127.0.0.1');
  const [refused] = (await once(late, 'error')) as [Error & { readonly code: string }];
  expect(refused.code).toBe('ECONNREFUSED');
  release();
  expect((await underWay).status).toBe(200);
  await stopped;
  await listening[Symbol.asyncDispose]();
});

test('a server that hands over answers requests meanwhile, and those that arrive when it no longer listens', async () => {
  const order: string[] = [];
  const socket = new Socket();
  const listening = await listen({
    fetch(request) {
      order.push(new URL(request.url).pathname);
      return new Response('ok');
    },
    host: '127.0.0.1',
    port: 0,
    onStop: async () => void order.push('stopped'),
    async onHandOver() {
      await fetch(`${listening.url}/meanwhile`);
      // Arrives after the end of this function.
      setImmediate(() => socket.write('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    },
  });
  await once(socket.connect(listening.port, '127.0.0.1'), 'connect');
  const stopped = listening[Symbol.asyncDispose]();
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  await stopped;
  expect(order).toEqual(['/meanwhile', '/late', 'stopped']);
});

const never = async () => new Promise<never>(() => {});
const answered = () => new Response('ok');

test('work that does not end, of a store that does not answer, delays stopping for 15 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    const onStop = vi.fn<() => Promise<never>>(never);
    const listening = await listen({ fetch: answered, host: '127.0.0.1', port: 0, onStop, onHandOver: never });
    const stopped = listening[Symbol.asyncDispose]();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(onStop).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    await stopped;
    expect(onStop).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});

test('an idle connection does not delay stopping', async () => {
  const listening = await started().listen(0);
  const socket = connect(listening.port, '127.0.0.1');
  socket.write('GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  const ended = once(socket, 'close');
  socket.resume();
  await listening[Symbol.asyncDispose]();
  await ended;
  expect(socket.destroyed).toBe(true);
});
