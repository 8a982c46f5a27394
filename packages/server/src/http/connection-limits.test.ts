import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { testKey } from '../../test/support/requests.ts';
import { testApp } from '../../test/support/test-app.ts';
import { closeServices } from './create-services.ts';
import { connectionLimits, limitConnections, type ConnectionLimits } from './connection-limits.ts';
import { listen } from './listen.ts';

async function started(limits: ConnectionLimits) {
  const { app, services } = testApp({});
  const listening = await listen({
    fetch: (request, connection) => app.fetch(request, connection),
    host: '127.0.0.1',
    port: 0,
    onStop: (signal) => closeServices(services, signal),
    limits,
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
async function ask(socket: Socket, headers: string): Promise<string> {
  socket.write(`GET /api/conversations/count HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
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

test('if all connections have sent a key, a new one is closed', async () => {
  const { port } = await started({ ...connectionLimits, total: 2 });
  for (const socket of [await opened(port), await opened(port)]) expect(await ask(socket, withKey)).toContain('200');
  const late = await opened(port);
  await once(late.resume(), 'close');
});

test('one address cannot use up the connections of another', async () => {
  const http = createServer();
  limitConnections(http, { ...connectionLimits, total: 3, unknownByAddress: 2 });
  const closed: string[] = [];
  const arrive = (remoteAddress: string): void => {
    const socket = connect({ port: 1, autoSelectFamily: false });
    socket.on('error', () => undefined);
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (...args) => (closed.push(remoteAddress), destroy(...args));
    http.emit('connection', socket);
  };
  for (const address of ['10.0.0.1', '2001:db8:0:1::1', '2001:db8:0:1::2']) arrive(address);
  expect(closed).toEqual([]);
  arrive('2001:db8:0:1::3');
  expect(closed).toEqual(['2001:db8:0:1::1']);
  arrive('10.0.0.2');
  expect(closed).toEqual(['2001:db8:0:1::1', '10.0.0.1']);
});

// Without a limit of its own, Node closes such a connection after a minute.
test('a connection whose headers do not end in time is closed, whatever it sends', { timeout: 30_000 }, async () => {
  expect(connectionLimits.headersMs).toBe(10_000);
  const { port } = await started({ ...connectionLimits, headersMs: 50 });
  const [silent, slow] = [await opened(port), await opened(port)];
  slow.write('GET /alive HTTP/1.1\r\nHost: localhost\r\nX-A: ');
  await Promise.all([silent, slow].map(async (socket) => once(socket.resume(), 'close')));
});
