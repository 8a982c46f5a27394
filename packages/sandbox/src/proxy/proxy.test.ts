import { once } from 'node:events';
import { mkdtempDisposableSync, openSync, constants, createWriteStream } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex, duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { openLink } from './link.ts';
import { hostProxy } from './proxy.ts';

/** Opens a server that answers each connection, and a proxy that allows it. */
async function openProxy(answer: (socket: Socket, request: string) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy()).once('data', (data) => answer(socket, data.toString()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const host = `localhost:${typeof address === 'object' ? address?.port : ''}`;
  const proxy = hostProxy({ rules: { allowed: ['localhost'] } });
  /** Sends bytes from inside, and returns what the proxy answers until the connection ends. */
  const send = async (bytes: string | Uint8Array, isCut = true): Promise<string> => {
    const [inside, outside] = duplexPair();
    const pieces: string[] = [];
    inside.setEncoding('latin1').on('data', (piece: string) => pieces.push(piece));
    inside.once('end', () => inside.end());
    const { promise, resolve } = Promise.withResolvers<void>();
    outside.once('close', resolve);
    proxy.serve(outside);
    inside.write(bytes);
    if (isCut) inside.end();
    await promise;
    return pieces.join('');
  };
  return {
    proxy,
    send,
    get: async (path: string) =>
      send(`GET http://${host}/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, false),
    async [Symbol.asyncDispose]() {
      proxy.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const good = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nanswer';

test('every status line of a server ends at most its connection', async () => {
  await using opened = await openProxy((socket, request) => {
    const status = /\/(\d+) /.exec(request)?.[1] ?? '';
    socket.end(status === '' ? good : `HTTP/1.1 ${status} X\r\nConnection: close\r\n\r\n`);
  });
  const codes = Array.from({ length: 1000 }, (_, code) => String(code).padStart(3, '0'));
  const answers: string[] = [];
  for (const code of codes) answers.push(await opened.get(code));
  const passed = codes.filter((code, index) => answers[index]?.startsWith(`HTTP/1.1 ${code} `));
  expect(passed.filter((code) => code >= '200')).toEqual(codes.slice(200));
  expect(passed.filter((code) => code < '100')).toEqual([]);
  expect(await opened.get('')).toContain('answer');
});

test.for([
  ['garbage', '\0\u0001garbage\r\n\r\n'],
  ['a cut head', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['a cut body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'],
  ['a cut chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort'],
  ['a damaged chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nshort'],
  ['a damaged header', 'HTTP/1.1 200 OK\r\nA: \u0001\r\n\r\n'],
  ['another protocol', 'HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
])('a server that sends %s ends its connection only', async ([, bytes = '']) => {
  await using opened = await openProxy((socket, request) => socket.end(request.startsWith('GET /bad') ? bytes : good));
  await opened.get('bad');
  expect(await opened.get('')).toContain('answer');
});

/** Returns the same random bytes in each run. */
function randomBytes(seed: number, length: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) >>> 8);
}

test('a program that sends garbage or a cut request ends its connection only', async () => {
  await using opened = await openProxy((socket) => socket.end(good));
  const cut = ['GET', 'GET http://', 'CONNECT localhost:0 HTTP/1.1\r\n\r\n', 'CONNECT [ HTTP/1.1\r\n\r\n'];
  const random = Array.from({ length: 100 }, (_, seed) => randomBytes(seed, 200));
  await Promise.all([...cut, ...random].map(async (bytes) => opened.send(bytes)));
  expect(await opened.get('')).toContain('answer');
});

test('names of any number of hosts are not kept', async () => {
  const asked: string[] = [];
  const proxy = hostProxy({ rules: { allowed: [] }, askHost: async (host) => asked.push(host) < 0 });
  const [inside, outside] = duplexPair();
  inside.resume().once('end', () => inside.end());
  proxy.serve(outside);
  inside.write(
    Array.from({ length: 1200 }, (_, n) => `GET http://h${n}.example/ HTTP/1.1\r\nHost: x\r\n\r\n`).join('') +
      `GET http://${'a.'.repeat(200)}b/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  await once(outside, 'close');
  expect([asked.length, proxy.takeRefused().length]).toEqual([1000, 1000]);
});

test('frames that end their connection in the same moment, and random ones, end one sandbox only', async () => {
  await using opened = await openProxy((socket) => socket.end(good));
  using directory = mkdtempDisposableSync(join(tmpdir(), 'varve-'));
  const link = openLink(directory.path, 'reset', opened.proxy);
  const from = openSync(link.fromProxy, constants.O_RDONLY | constants.O_NONBLOCK);
  const to = openSync(link.toProxy, constants.O_WRONLY);
  const readable = new Socket({ fd: from, readable: true, writable: false });
  const writable = new Socket({ fd: to, readable: false, writable: true });
  const session = connectHttp2('http://proxy', { createConnection: () => Duplex.from({ readable, writable }) });
  session.on('error', () => session.destroy());
  const closed = Array.from({ length: 300 }, async () => {
    const stream = session.request({ ':method': 'POST' }, { endStream: false });
    stream.on('error', () => stream.destroy());
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.once('close', resolve).close(8);
    return promise;
  });
  await Promise.all(closed);
  link.close();
  for (let seed = 0; seed < 20; seed++) {
    const other = openLink(directory.path, `random-${seed}`, opened.proxy);
    const frames = Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      ...Array.from({ length: 20 }, (_, at) => frame(randomBytes(seed * 20 + at, 12))),
    ]);
    const pipe = createWriteStream(other.toProxy);
    await once(pipe.end(frames), 'close');
    other.close();
  }
  session.destroy();
  expect(await opened.get('')).toContain('answer');
});

/** Returns a frame of HTTP/2 with a type, flags, a stream and a body of random bytes. */
function frame(bytes: Uint8Array): Uint8Array {
  const [type = 0, flags = 0, stream = 0, ...body] = bytes;
  return Uint8Array.from([0, 0, body.length, type % 10, flags, 0, 0, 0, stream % 8, ...body]);
}

test.for(['127.0.0.1', 'localhost', '127.0.0.1:5432'])(
  'no port is opened if a rule denies %s, also if another rule allows all hosts',
  async (host) => {
    const proxy = hostProxy({ rules: { allowed: ['*'], denied: [host] }, askHost: async () => true });
    expect([await proxy.openPort(5432), proxy.ports.has(5432)]).toEqual([false, false]);
  },
);
