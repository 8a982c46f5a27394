import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest } from '../../src/testing/index.ts';
import { answered, data, done, eventStream, fine, half, long, spoken, streamed, word } from './answers.ts';
import type { FaultPlay, FaultRow, Stage } from './fault-row.ts';
import { modelAt, patience, serve } from './run-fault.ts';

const reset = (afterPieces: number) => ({ kind: 'reset', afterPieces }) as const;
const cut = (afterPieces: number) => ({ kind: 'cut', afterPieces }) as const;

/** Asks through `retry` an address where nothing can be reached, and hands back the failures of all attempts. */
async function unreachable(stage: Stage, url: string, message: RegExp): Promise<number> {
  const failures: LlmError[] = [];
  const model = retry(patience({ failures, waits: [] }))(modelAt(stage, { url }));
  await model.generate(userRequest('Hi'), { onDelta: () => undefined }).then(
    () => assert.fail('a reply came'),
    (error: unknown) => failures.push(error instanceof LlmError ? error : assert.fail(String(error))),
  );
  for (const { code, message: said, cause } of failures) {
    assert.equal(code, 'unavailable');
    assert.match(said, message);
    assert.ok(cause instanceof Error, 'the cause is lost');
  }
  return failures.length;
}

/** F26 to F33: connections that are not made, or break. */
export const connectionFaults: readonly (FaultRow | FaultPlay)[] = [
  {
    fault: 26,
    title: 'a refused connection of this machine is tried twice, and the address is named',
    async play(stage) {
      const server = await serve(stage, []);
      await server[Symbol.asyncDispose]();
      const { port } = new URL(server.url);
      const said = new RegExp(
        `^m at ${server.url} cannot be reached: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}\\.$`,
      );
      assert.equal(await unreachable(stage, server.url, said), 2);
    },
  },
  {
    fault: 26,
    title: 'a name that does not resolve is tried five times',
    async play(stage) {
      // A part of a name has at most 63 letters, so that this one resolves nowhere, and without asking anyone.
      const host = `${'a'.repeat(64)}.test`;
      assert.equal(await unreachable(stage, `http://${host}`, /cannot be reached: getaddrinfo/), 5);
    },
  },
  {
    fault: 26,
    title: 'a server without a certificate is tried five times',
    async play(stage) {
      const server = createServer({})
        .on('tlsClientError', () => undefined)
        .listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        assert.equal(await unreachable(stage, `https://127.0.0.1:${port}`, /cannot be reached: .*alert/), 5);
      } finally {
        server.close();
      }
    },
  },
  {
    fault: 26,
    title: 'a server that speaks no TLS is tried five times',
    async play(stage) {
      await using server = await serve(stage, []);
      const url = server.url.replace('http:', 'https:');
      assert.equal(await unreachable(stage, url, /cannot be reached: .*wrong version/i), 5);
      assert.equal(server.requests.length, 0);
    },
  },
  {
    fault: 27,
    title: 'a reset before the answer is tried again',
    steps: [{ ...long, fault: reset(0) }, fine],
    failures: [['unavailable', /cannot be reached/]],
    reply: { text: 'Fine.', usage: [7, 2] },
  },
  {
    fault: 28,
    title: 'a reset within text is taken back and tried again, and only the whole reply is counted',
    steps: (protocol) => [
      { ...long, usage: { input_tokens: 900, output_tokens: 90 }, fault: reset(protocol === 'chat' ? 2 : 4) },
      fine,
    ],
    ways: ['streamed'],
    failures: [['unavailable', /broke off its answer/]],
    reply: { text: 'Fine.', usage: [7, 2] },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text', 'reset', 'text']),
  },
  {
    fault: 28,
    title: 'a reset within an answer is tried again, and nothing was handed out',
    steps: [{ ...long, fault: reset(1) }, fine],
    ways: ['whole'],
    failures: [['unavailable', /broke off its answer/]],
    reply: { text: 'Fine.', usage: [7, 2] },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text']),
  },
  {
    fault: 29,
    title: 'a reset within arguments makes no call and is tried again',
    steps: (protocol) => [{ ...half, fault: reset(protocol === 'chat' ? 2 : 3) }, fine],
    ways: ['streamed'],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['tool-call', 'reset', 'text']),
  },
  {
    fault: 29,
    title: 'a reset within the answer with arguments makes no call and is tried again',
    steps: [{ ...half, fault: reset(1) }, fine],
    ways: ['whole'],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
  },
  ...[0, 1, 2, 3, 4].map((pieces) => ({
    fault: 30,
    title: `a stream that ends after ${pieces} pieces is tried again`,
    ways: ['streamed'] as const,
    steps: [{ ...long, fault: cut(pieces) }, { ...half, fault: cut(Math.min(pieces, 3)) }, fine],
    failures: [
      ['unavailable', /ended its stream before the reply was complete/] as const,
      ['unavailable', /ended its stream before the reply was complete/] as const,
    ],
    reply: { text: 'Fine.' },
  })),
  {
    fault: 30,
    title: 'half an answer is tried again',
    ways: ['whole'],
    steps: [{ ...long, fault: cut(1) }, fine],
    failures: [['malformed-reply']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 31,
    title: 'a stream with an end and without its marker is whole',
    steps: (protocol) => [streamed(...spoken(protocol, 'Hello').filter((block) => block !== done))],
    reply: { text: 'Hello', finish: 'stop' },
  },
  {
    fault: 32,
    title: 'half an event at the end is tried again',
    steps: (protocol) => [
      answered({ headers: eventStream, body: `${word(protocol, 'Hello')}\n\ndata: {"choices":[{"de` }),
      fine,
    ],
    failures: [['unavailable', /ended its stream/]],
    reply: { text: 'Fine.' },
  },
  {
    fault: 33,
    title: 'a piece that is no JSON is tried once more',
    steps: (protocol) => {
      const broken = streamed(word(protocol, 'Hello'), 'data: {"choices": oops}', done);
      return [broken, broken];
    },
    failures: [
      ['malformed-reply', /not JSON: ".*oops/],
      ['malformed-reply', /not JSON: ".*oops/],
    ],
  },
  {
    fault: 33,
    title: 'a piece that is no JSON is tried again',
    steps: (protocol) => [streamed(word(protocol, 'Hello'), data('text').replace('"text"', '{')), fine],
    failures: [['malformed-reply']],
    reply: { text: 'Fine.' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text', 'reset', 'text']),
  },
];
