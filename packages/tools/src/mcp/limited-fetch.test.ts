import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { limitedFetch, maxMessageBytes } from './limited-fetch.ts';

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Yields a text again and again, also beyond the limit. */
function* repeated(text: string): Generator<Buffer> {
  const piece = Buffer.from(text.repeat(Math.ceil(100_000 / text.length)));
  for (let sent = 0; sent < 3 * maxMessageBytes; sent += piece.length) yield piece;
}

const send = (response: ServerResponse, type: string, text: string): void => {
  response.setHeader('content-type', type);
  Readable.from(repeated(text)).pipe(response);
};

test.for<[string, (response: ServerResponse) => void]>([
  ['an endless body', (response) => send(response, 'application/json', '[')],
  ['an endless line of a stream', (response) => send(response, 'text/event-stream', 'data')],
  ['an endless event of a stream', (response) => send(response, 'text/event-stream; charset=utf-8', 'data: x\r\n')],
  [
    'a body that is small before it is decompressed',
    (response) => {
      response.setHeader('content-encoding', 'gzip');
      Readable.from(repeated('[')).pipe(createGzip()).pipe(response);
    },
  ],
])('%s ends with an error', async ([, answer]) => {
  const response = await limitedFetch(await serve(answer));
  await expect(response.text()).rejects.toThrow('A message has more than 10485760 bytes.');
});

test.for(['data: x\n\n', 'data: x\r\n\r\n'])('a stream of many small events is complete: %j', async (event) => {
  const response = await limitedFetch(await serve((answer) => send(answer, 'text/event-stream', event)));
  expect((await response.bytes()).length).toBeGreaterThan(2 * maxMessageBytes);
});

test('a small answer keeps its status, headers and body', async () => {
  const url = await serve((response) => void response.writeHead(418, { 'x-kind': 'teapot' }).end('short'));
  const response = await limitedFetch(url);
  expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([418, 'teapot', 'short']);
});
