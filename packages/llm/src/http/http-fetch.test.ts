import { once } from 'node:events';
import { createServer, globalAgent, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { httpFetch } from './http-fetch.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`;
}

function post(body: string, init: RequestInit = {}): RequestInit {
  return { method: 'POST', body, signal: new AbortController().signal, redirect: 'manual', ...init };
}

test('a request arrives unchanged, and its response has status, headers and body', async () => {
  const url = await serve(async (request, response) => {
    response.writeHead(418, { 'x-request': `${request.method} ${request.url} ${request.headers['content-length']}` });
    response.end(`${String(request.headers['x-mine'])}: ${await text(request)}`);
  });
  const response = await httpFetch(url, post('héllo', { headers: { 'x-mine': 'yes' } }));
  expect([response.status, response.headers.get('x-request')]).toEqual([418, 'POST /path?q=1 6']);
  expect(await response.text()).toBe('yes: héllo');
});

test.each([
  ['gzip', gzipSync],
  ['X-GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a response that is compressed as %s is decompressed', async (encoding, pack) => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(pack('packed'));
  });
  expect(await (await httpFetch(url, post(''))).text()).toBe('packed');
});

test('reading a compressed response that breaks off fails', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 100 });
    response.write(gzipSync('packed').subarray(0, 12), () => response.destroy());
  });
  const response = await httpFetch(url, post(''));
  await expect(response.text()).rejects.toThrow(/aborted|premature/i);
});

test.each([204, 304])('a response of status %s has no body', async (status) => {
  const url = await serve((_request, response) => response.writeHead(status).end());
  const response = await httpFetch(url, post(''));
  expect([response.status, response.body]).toEqual([status, null]);
});

test('a redirect is returned, not followed', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/other' }).end();
  });
  const response = await httpFetch(url, post(''));
  expect([response.status, response.headers.get('location'), requests]).toEqual([307, '/other', 1]);
});

test('sequential requests share a connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x');
  });
  for (let round = 0; round < 3; round += 1) await (await httpFetch(url, post(''))).text();
  expect(ports.size).toBe(1);
});

test('a response whose body cannot be read releases its connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(205, { 'content-length': 3 }).end('abc');
  });
  for (let round = 0; round < 3; round += 1) {
    const freed = once(globalAgent, 'free');
    await httpFetch(url, post(''));
    await freed;
  }
  expect(ports.size).toBe(1);
});

test('a body without an end that cannot be read closes its connection', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((_request, response) => {
    response.on('close', () => closed.resolve()).writeHead(205);
    const write = (): void => {
      while (response.write('x'.repeat(20_000)));
      response.once('drain', write);
    };
    write();
  });
  expect((await httpFetch(url, post(''))).body).toBe(null);
  await closed.promise;
});

test.each(['101 Switching\r\nupgrade: other\r\nconnection: upgrade', '999 No'])(
  'a response with the status %s fails, and closes its connection',
  async (head) => {
    const closed = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.on('close', () => closed.resolve()).once('data', () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(httpFetch(url, post(''))).rejects.toThrow(/without an answer|status 999/);
    await closed.promise;
  },
);

test('an abort ends the wait for a response', async () => {
  const controller = new AbortController();
  const url = await serve(() => controller.abort());
  await expect(httpFetch(url, post('', { signal: controller.signal }))).rejects.toThrow('aborted');
});

test('an abort ends the reading of a response', async () => {
  const controller = new AbortController();
  const url = await serve((_request, response) => void response.writeHead(200).write('begun'));
  const response = await httpFetch(url, post('', { signal: controller.signal }));
  controller.abort();
  await expect(response.text()).rejects.toThrow('aborted');
});

test('an https address is connected to over TLS', async () => {
  const url = await serve((_request, response) => response.end('in clear'));
  await expect(httpFetch(url.replace('http:', 'https:'), post(''))).rejects.toMatchObject({ code: 'EPROTO' });
});

test('bytes are sent unchanged', async () => {
  const url = await serve(async (request, response) => response.end(await text(request)));
  const response = await httpFetch(url, post('', { body: new TextEncoder().encode('bytes') }));
  expect(await response.text()).toBe('bytes');
});

test('anything but a POST of text or bytes goes to the global fetch', async () => {
  const url = await serve((request, response) => response.end(request.method));
  expect(await (await httpFetch(url)).text()).toBe('GET');
});
