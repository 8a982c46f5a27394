import { once } from 'node:events';
import { createServer, globalAgent, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { httpPost, type Post } from './http-post.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`;
}

function post(body: string, headers: Post['headers'] = {}): Post {
  return {
    body: [Buffer.from(body.slice(0, 2)), Buffer.from(body.slice(2))],
    headers,
    signal: new AbortController().signal,
  };
}

test('a request arrives as it was given, and its answer with status, headers and body', async () => {
  const url = await serve(async (request, response) => {
    response.writeHead(418, { 'x-said': `${request.method} ${request.url} ${request.headers['content-length']}` });
    response.end(`${String(request.headers['x-mine'])}: ${await text(request)}`);
  });
  const answer = await httpPost(url, post('héllo', { 'x-mine': 'yes' }));
  expect([answer.status, answer.headers.get('x-said')]).toEqual([418, 'POST /path?q=1 6']);
  expect(await answer.text()).toBe('yes: héllo');
});

test.each([
  ['gzip', gzipSync],
  ['X-GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer that is packed as %s is unpacked', async (encoding, pack) => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(pack('packed'));
  });
  expect(await (await httpPost(url, post(''))).text()).toBe('packed');
});

test('a packed answer that breaks off fails whoever reads it', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 100 });
    response.write(gzipSync('packed').subarray(0, 12), () => response.destroy());
  });
  const answer = await httpPost(url, post(''));
  await expect(answer.text()).rejects.toThrow(/aborted|premature/i);
});

test.each([204, 304])('an answer of status %s has no body', async (status) => {
  const url = await serve((_request, response) => response.writeHead(status).end());
  const answer = await httpPost(url, post(''));
  expect([answer.status, answer.body]).toEqual([status, null]);
});

test('a redirect is answered with, not followed', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/other' }).end();
  });
  const answer = await httpPost(url, post(''));
  expect([answer.status, answer.headers.get('location'), requests]).toEqual([307, '/other', 1]);
});

test('requests that follow each other share a connection', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('x');
  });
  for (let round = 0; round < 3; round += 1) await (await httpPost(url, post(''))).text();
  expect(ports.size).toBe(1);
});

test('an answer whose body nobody can read gives its connection back', async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(205, { 'content-length': 3 }).end('abc');
  });
  for (let round = 0; round < 3; round += 1) {
    const freed = once(globalAgent, 'free');
    await httpPost(url, post(''));
    await freed;
  }
  expect(ports.size).toBe(1);
});

test.each(['101 Switching\r\nupgrade: other\r\nconnection: upgrade', '999 No'])(
  'an answer with the status %s fails, and closes its connection',
  async (head) => {
    const closed = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.on('close', () => closed.resolve()).once('data', () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(httpPost(url, post(''))).rejects.toThrow(/without an answer|status 999/);
    await closed.promise;
  },
);

test('an abort ends the wait for an answer', async () => {
  const controller = new AbortController();
  const url = await serve(() => controller.abort());
  await expect(httpPost(url, { ...post(''), signal: controller.signal })).rejects.toThrow('aborted');
});

test('an abort ends the reading of an answer', async () => {
  const controller = new AbortController();
  const url = await serve((_request, response) => void response.writeHead(200).write('begun'));
  const answer = await httpPost(url, { ...post(''), signal: controller.signal });
  controller.abort();
  await expect(answer.text()).rejects.toThrow('aborted');
});

test('an https address is spoken to in TLS', async () => {
  const url = await serve((_request, response) => response.end('in clear'));
  await expect(httpPost(url.replace('http:', 'https:'), post(''))).rejects.toMatchObject({ code: 'EPROTO' });
});
