import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { limitedFetch } from './limited-fetch.ts';
import { maxMessageBytes, StartBudget } from './message-limits.ts';

/** As after the start of a server. */
const fetchOnce = (url: string): Promise<Response> => {
  const budget = new StartBudget();
  budget.end();
  return limitedFetch(budget)(url);
};

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
  for (let sent = 0; sent < 2.1 * maxMessageBytes; sent += piece.length) yield piece;
}

const send = (response: ServerResponse, type: string, text: string): void => {
  response.setHeader('content-type', type);
  Readable.from(repeated(text)).pipe(response);
};

test.for<[string, (response: ServerResponse) => void]>([
  ['an endless body', (response) => send(response, 'application/json', 'x')],
  ['an endless line of a stream', (response) => send(response, 'text/event-stream', 'data')],
  ['an endless event of a stream', (response) => send(response, 'text/event-stream; charset=utf-8', 'data: x\r\n')],
  [
    'a body that is small before it is decompressed',
    (response) => {
      response.setHeader('content-encoding', 'gzip');
      Readable.from(repeated('x')).pipe(createGzip()).pipe(response);
    },
  ],
])('%s ends with an error', async ([, answer]) => {
  const response = await fetchOnce(await serve(answer));
  await expect(response.text()).rejects.toThrow('A message has more than 10485760 bytes.');
});

const json = 'application/json';
const events = 'text/event-stream';

test.for<[string, string, RegExp]>([
  ['[', json, /200 levels of JSON/],
  ['{"a":', json, /200 levels of JSON/],
  ['data: [\n', events, /200 levels of JSON/],
  [': ]\ndata: [\n', events, /200 levels of JSON/],
  ['id: ]\r\ndata: [\r\n', events, /200 levels of JSON/],
  [': ]\ndata: [\n', 'Text/Event-Stream;charset=utf-8', /200 levels of JSON/],
  [': "\rdata: [\r: "\r', events, /200 levels of JSON/],
  ['[],', json, /100000 values/],
  ['"\\"[",', json, /100000 values/],
  ['data: {},\r\n', events, /100000 values/],
])('%j without an end, as %s, ends with an error before it is parsed', async ([unit, type, message]) => {
  const response = await fetchOnce(await serve((answer) => send(answer, type, unit)));
  await expect(response.text()).rejects.toThrow(message);
});

test('after a request for a stream, any body is read as events', async () => {
  const url = await serve((answer) => send(answer, json, ': ]\ndata: [\n'));
  const response = await limitedFetch()(url, { method: 'GET', headers: { accept: events } });
  await expect(response.text()).rejects.toThrow(/200 levels of JSON/);
});

test.for(['"["', '"\\\\"', '"\\"["', '"{},,,"', '"\u4e00,"'])('a string is one value: %j', async (text) => {
  const list = `[${Array.from({ length: 50_000 }, () => text).join()}]`;
  const response = await fetchOnce(
    await serve((answer) => void answer.writeHead(200, { 'content-type': json }).end(list)),
  );
  expect(await response.json()).toHaveLength(50_000);
});

/** All events of a stream together have more values and levels than a message may have. */
const line = `data: [,${'x'.repeat(88)}`;

test('before its tools are listed, a server may send 20 MiB in all', async () => {
  const url = await serve((answer) => send(answer, events, `${line}\n\n`));
  const response = await limitedFetch()(url);
  await expect(response.text()).rejects.toThrow('more than 20971520 bytes before its tools were listed');
});

test('requests that have no response are limited', async () => {
  const url = await serve(() => undefined);
  const fetchLimited = limitedFetch();
  const cancelled = new AbortController();
  const open = Array.from({ length: 32 }, () => fetchLimited(url, { signal: cancelled.signal }).catch(() => 'ended'));
  await expect(fetchLimited(url)).rejects.toThrow('More than 32 requests have no response.');
  cancelled.abort();
  expect(new Set(await Promise.all(open))).toEqual(new Set(['ended']));
  await expect(fetchLimited(url, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
});

test('a stream that is opened again waits, and other requests pass it', async () => {
  const methods: (string | undefined)[] = [];
  const url = await serve((response) => {
    methods.push(response.req.method);
    response.end();
  });
  const fetchLimited = limitedFetch();
  const again = new AbortController();
  await fetchLimited(url, { method: 'GET' });
  const waiting = fetchLimited(url, { method: 'GET', signal: again.signal });
  await fetchLimited(url, { method: 'POST' });
  again.abort();
  await expect(waiting).rejects.toThrow('abort');
  expect(methods).toEqual(['GET', 'POST']);
});

test.for(['\n', '\r\n'])('a stream of many small events is complete, with lines that end with %j', async (end) => {
  const response = await fetchOnce(await serve((answer) => send(answer, events, line + end + end)));
  expect((await response.bytes()).length).toBeGreaterThan(2 * maxMessageBytes);
});

test('a small answer keeps its status, headers and body', async () => {
  const url = await serve((response) => void response.writeHead(418, { 'x-kind': 'teapot' }).end('short'));
  const response = await fetchOnce(url);
  expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([418, 'teapot', 'short']);
});
