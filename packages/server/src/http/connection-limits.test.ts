import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { testKey } from '../../test/support/requests.ts';
import { testApp } from '../../test/support/test-app.ts';
import { closeServices } from './create-services.ts';
import { connectionLimits, Connections, type ConnectionLimits } from './connection-limits.ts';
import { listen } from './listen.ts';
import { trustedProxies } from './trusted-proxies.ts';

async function started(limits: ConnectionLimits, proxies: readonly string[] = []) {
  const { app, services } = testApp({});
  const listening = await listen({
    fetch: (request, connection) => app.fetch(request, connection),
    host: '127.0.0.1',
    port: 0,
    onStop: (signal) => closeServices(services, signal),
    limits,
    proxies: trustedProxies(proxies),
    isOfPeer: ({ headers }) => headers['x-varve-forwarded'] === 'signed',
  });
  onTestFinished(() => listening[Symbol.asyncDispose]());
  return listening;
}

/** Opens a connection that the server has accepted. */
async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends a request on a connection, and resolves with the first line of its response. */
async function ask(socket: Socket, headers: string, path = '/api/conversations/count'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString().split('\r\n')[0] ?? '';
}

const withKey = `X-Session-API-Key: ${testKey}\r\n`;

test('connections that send nothing do not keep out a client with a key', async () => {
  const { port } = await started(connectionLimits);
  const strangers = await Promise.all(
    Array.from({ length: connectionLimits.unknownByAddress + 50 }, async () => opened(port)),
  );
  expect(await ask(await opened(port), withKey)).toContain('200');
  await Promise.all(strangers.slice(0, 50).map(async (socket) => socket.closed || once(socket.resume(), 'close')));
});

test('the oldest connection without a key is closed for a new one, and those with a key are kept', async () => {
  const { port } = await started({ ...connectionLimits, unknownByAddress: 2 });
  const owner = await opened(port);
  expect(await ask(owner, withKey)).toContain('200');
  const [first, second] = [await opened(port), await opened(port)];
  expect(await ask(first, '')).toContain('401');
  const ended = once(first, 'close');
  const third = await opened(port);
  await ended;
  for (const socket of [second, third]) expect(await ask(socket, '')).toContain('401');
  expect(await ask(owner, withKey)).toContain('200');
});

test('a socket whose first message has the key is kept', async () => {
  const { port } = await started({ ...connectionLimits, unknownByAddress: 1 });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/sockets/bash-events?resend_mode=all`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'auth', session_api_key: testKey }));
  socket.send('not a command');
  await once(socket, 'message');
  expect(await ask(await opened(port), '')).toContain('401');
  expect(await ask(await opened(port), withKey)).toContain('200');
  socket.send('not a command');
  await once(socket, 'message');
  socket.terminate();
});

test('if all connections have sent a key, a new one is refused, and probes and other replicas are answered', async () => {
  const { port } = await started({ ...connectionLimits, total: 2, reserve: 2 });
  const owners = [await opened(port), await opened(port)];
  for (const socket of owners) expect(await ask(socket, withKey)).toContain('200');
  const late = await opened(port);
  const ended = once(late, 'close');
  expect(await ask(late, withKey)).toContain('503');
  await ended;
  for (const path of ['/alive', '/ready', '/metrics'])
    expect(await ask(await opened(port), withKey, path)).toContain('200');
  expect(await ask(await opened(port), `${withKey}x-varve-forwarded: signed\r\n`)).toContain('200');
  expect(await ask(await opened(port), `${withKey}x-varve-forwarded: 1\r\n`)).toContain('503');
  // Connections that send nothing do not use up the reserve.
  for (let n = 0; n < 5; n += 1) await opened(port);
  expect(await ask(await opened(port), '', '/alive')).toContain('200');
  expect(await ask(await opened(port), withKey)).toContain('503');
  const left = once(owners[0]?.destroy() ?? late, 'close');
  await left;
  await expect.poll(async () => ask(await opened(port), withKey)).toContain('200');
});

test('a connection of the reserve is closed after its response', async () => {
  const { port } = await started({ ...connectionLimits, total: 1, reserve: 1 });
  expect(await ask(await opened(port), withKey)).toContain('200');
  const probe = await opened(port);
  const ended = once(probe, 'close');
  expect(await ask(probe, '', '/alive')).toContain('200');
  await ended;
});

test('a socket is refused with a status if all connections have sent a key', async () => {
  const { port } = await started({ ...connectionLimits, total: 1, reserve: 1 });
  expect(await ask(await opened(port), withKey)).toContain('200');
  const socket = new WebSocket(`ws://127.0.0.1:${port}/sockets/bash-events?session_api_key=${testKey}`);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain('503');
});

test('clients of a trusted proxy are limited by the addresses that it forwards for', async () => {
  const { port } = await started({ ...connectionLimits, unknownByAddress: 2 }, ['127.0.0.1']);
  // All are of the proxy until their first request.
  const sockets = await Promise.all(Array.from({ length: 6 }, async () => opened(port)));
  const [first, ...others] = sockets;
  if (!first) throw new Error('There is no connection.');
  const ofOne = 'X-Forwarded-For: 10.0.0.1\r\n';
  expect(await ask(first, ofOne)).toContain('401');
  for (const [at, socket] of others.entries()) {
    expect(await ask(socket, `X-Forwarded-For: 10.0.0.1, 10.0.1.${at}\r\n`)).toContain('401');
  }
  for (const _ of [1, 2]) expect(await ask(await opened(port), ofOne)).toContain('401');
  // Before the server closes it for its silence.
  await expect.poll(() => first.closed, { timeout: 4_000 }).toBe(true);
  expect(others.some(({ closed: isClosed }) => isClosed)).toBe(false);
});

test('one address cannot use up the connections of another', async () => {
  const http = createServer();
  const connections = new Connections(http, {
    limits: { total: 3, reserve: 0, unknownByAddress: 2 },
    proxies: trustedProxies([]),
    isOfPeer: () => false,
  });
  const closed: string[] = [];
  const arrive = (remoteAddress: string): Socket => {
    const socket = connect({ port: 1, autoSelectFamily: false });
    socket.on('error', () => undefined);
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (...args) => (closed.push(remoteAddress), destroy(...args));
    http.emit('connection', socket);
    return socket;
  };
  for (const address of ['10.0.0.1', '2001:db8:0:1::1', '2001:db8:0:1::2']) arrive(address);
  expect(closed).toEqual([]);
  arrive('2001:db8:0:1::3');
  expect(closed).toEqual(['2001:db8:0:1::1']);
  connections.trust(arrive('10.0.0.2'));
  expect(closed).toEqual(['2001:db8:0:1::1', '10.0.0.1']);
  for (const address of ['10.0.0.3', '10.0.0.4', '10.0.0.5']) arrive(address);
  expect(closed).not.toContain('10.0.0.2');
});

// Without a limit of its own, Node closes such a connection after a minute.
test('a connection whose headers do not end in time is closed, whatever it sends', { timeout: 30_000 }, async () => {
  expect(connectionLimits.headersMs).toBe(10_000);
  const { port } = await started({ ...connectionLimits, headersMs: 50 });
  const [silent, slow] = [await opened(port), await opened(port)];
  slow.write('GET /alive HTTP/1.1\r\nHost: localhost\r\nX-A: ');
  await Promise.all([silent, slow].map(async (socket) => once(socket.resume(), 'close')));
});
