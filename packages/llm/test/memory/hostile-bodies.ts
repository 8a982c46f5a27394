import type { Socket } from 'node:net';
import { createGzip } from 'node:zlib';

/** Sends a response to a socket; resolves when the client has disconnected. */
export type HostileResponse = (socket: Socket) => Promise<void>;

const megabyte = 1_000_000;

/** Writes pieces for as long as the client reads, as fast as it reads. */
async function send(socket: Socket, pieces: Iterable<string | Uint8Array>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const isFull = !socket.write(piece);
    socket.once('close', resolve);
    if (isFull) socket.once('drain', resolve);
    else setImmediate(resolve);
    await promise;
    socket.removeListener('close', resolve);
  }
}

function* endless(piece: string, ...start: readonly string[]): Generator<string> {
  yield* start;
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  for (;;) yield block;
}

/** A body without chunks and without a length ends with its connection. */
function body(headers: readonly string[], pieces: () => Iterable<string>): HostileResponse {
  const head = ['HTTP/1.1 200 OK', 'connection: close', ...headers, '', ''].join('\r\n');
  return (socket) => send(socket, endlessAfter(head, pieces()));
}

function* endlessAfter(head: string, pieces: Iterable<string>): Generator<string> {
  yield head;
  yield* pieces;
}

const stream = ['content-type: text/event-stream'];
const json = ['content-type: application/json'];

function chunk(delta: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
}

const emptyThinking = (): readonly object[] => [{ type: 'redacted_thinking' }, { type: 'thinking' }];

/** A piece, and an item that must not be copied for each of them. */
const detail = { index: 0, type: 'reasoning.text', text: 'x' };
const largeDetail = {
  ...detail,
  ...Object.fromEntries(Array.from({ length: 90_000 }, (_, number) => [`field${number}`, 0])),
};

/** Sends 900 MB of one character in 0.9 MB. */
function bomb(headers: readonly string[], start: string): HostileResponse {
  return async (socket) => {
    const gzip = createGzip();
    socket.write(['HTTP/1.1 200 OK', 'connection: close', 'content-encoding: gzip', ...headers, '', ''].join('\r\n'));
    gzip.pipe(socket).on('error', () => gzip.destroy());
    gzip.on('error', () => undefined).write(start);
    const block = 'x'.repeat(megabyte);
    for (let count = 0; count < 900 && !socket.destroyed; count += 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gzip.write(block, () => resolve());
      socket.once('close', resolve);
      await promise;
      socket.removeListener('close', resolve);
    }
    gzip.end();
  };
}

const whole = '{"choices":[{"message":{"content":"';

/** Responses without an end, and others that are small to send and large to keep, with the expected code. */
export const hostileResponses: Readonly<Record<string, readonly [code: string, respond: HostileResponse]>> = {
  'endless text': ['reply-limit', body(stream, () => endless(chunk({ content: 'x'.repeat(500) })))],
  'endless short pieces': ['reply-limit', body(stream, () => endless(chunk({ content: 'x' })))],
  'an endless line': ['reply-limit', body(stream, () => endless('x', 'data: '))],
  'an endless event': ['reply-limit', body(stream, () => endless('data:\n'))],
  'endless arguments': [
    'reply-limit',
    body(stream, () => endless(chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '[[],[]' } }] }))),
  ],
  'endless calls': [
    'reply-limit',
    body(stream, () => endless(chunk({ tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }))),
  ],
  'endless empty thinking': [
    'reply-limit',
    body(stream, () => endless(chunk({ thinking_blocks: Array.from({ length: 1000 }, emptyThinking).flat() }))),
  ],
  'endless pieces of a large item': [
    'reply-limit',
    body(stream, () => endless(chunk({ reasoning_details: [detail] }), chunk({ reasoning_details: [largeDetail] }))),
  ],
  'endless JSON': ['reply-limit', body(json, () => endless('x', whole))],
  'an endless list': ['reply-limit', body(json, () => endless('[],', '{"choices":['))],
  'a long list of choices': ['reply-limit', body(json, () => ['{"choices":[', '{},'.repeat(5 * megabyte), '{}]}'])],
  'a long list in an event': [
    'reply-limit',
    body(stream, () => ['data: {"a":[', '[],'.repeat(5 * megabyte), '[]]}\n\n']),
  ],
  'deep JSON': ['reply-limit', body(json, () => ['['.repeat(15 * megabyte)])],
  'events of the wrong type': ['reply-limit', body(json, () => ['data: {}\n\n'.repeat(megabyte), 'data: [DONE]\n\n'])],
  'a gzip bomb': ['reply-limit', bomb(json, whole)],
  'a gzip bomb of one line': ['reply-limit', bomb(stream, 'data: ')],
  'an endless header': ['unavailable', (socket) => send(socket, endlessAfter('HTTP/1.1 200 OK\r\nx: ', endless('x')))],
  'endless headers': [
    'unavailable',
    (socket) => send(socket, endlessAfter('HTTP/1.1 200 OK\r\n', endless('x: y\r\n'))),
  ],
  'endless trailers': [
    'unavailable',
    (socket) =>
      send(
        socket,
        endlessAfter('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n', endless('x: y\r\n')),
      ),
  ],
  'an endless chunk extension': [
    'unavailable',
    (socket) => send(socket, endlessAfter('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', endless('x'))),
  ],
  'an endless error': [
    'unavailable',
    (socket) => send(socket, endlessAfter('HTTP/1.1 500 No\r\nconnection: close\r\n\r\n', endless('x'))),
  ],
};
