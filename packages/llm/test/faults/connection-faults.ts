import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { LlmError } from '../../src/error.ts';
import { retry } from '../../src/retry.ts';
import { userRequest } from '../../src/testing/index.ts';
import { rawResponse, data, done, eventStream, fine, half, long, streamedReply, streamed, word } from './answers.ts';
import type { FaultScenario, FaultRow, Variant } from './fault-row.ts';
import { modelAt, retryWithoutWaiting, serve } from './run-fault.ts';

const reset = (afterPieces: number) => ({ kind: 'reset', afterPieces }) as const;
const cut = (afterPieces: number) => ({ kind: 'cut', afterPieces }) as const;

/** Calls a model at an unreachable address with `retry`, checks all failures, and returns their number. */
async function unreachable(variant: Variant, url: string, message: RegExp): Promise<number> {
  const failures: LlmError[] = [];
  const model = retry(retryWithoutWaiting({ failures, waits: [] }))(modelAt(variant, { url }));
  await model.generate(userRequest('Hi'), { onDelta: () => undefined }).then(
    () => assert.fail('a reply came'),
    (error: unknown) => failures.push(error instanceof LlmError ? error : assert.fail(String(error))),
  );
  for (const { code, message: text, cause } of failures) {
    assert.equal(code, 'unavailable');
    assert.match(text, message);
    assert.ok(cause instanceof Error, 'the cause is lost');
  }
  return failures.length;
}

/** F26 to F33: connections that fail or break. */
export const connectionFaults: readonly (FaultRow | FaultScenario)[] = [
  {
    fault: 26,
    title: 'a refused connection of this machine is tried twice, and the address is named',
    async run(variant) {
      const server = await serve(variant, []);
      await server[Symbol.asyncDispose]();
      const { port } = new URL(server.url);
      const expected = new RegExp(
        `^m at ${server.url} cannot be reached: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}\\.$`,
      );
      assert.equal(await unreachable(variant, server.url, expected), 2);
    },
  },
  {
    fault: 26,
    title: 'a name that does not resolve is tried twice, and the host is named',
    async run(variant) {
      // A label of a host name has at most 63 letters, so this name never resolves and causes no DNS query.
      const host = `${'a'.repeat(64)}.test`;
      assert.equal(
        await unreachable(variant, `http://${host}`, new RegExp(`cannot be reached: the host "${host}" was not found`)),
        2,
      );
    },
  },
  {
    fault: 26,
    title: 'a server without a certificate is tried five times',
    async run(variant) {
      const server = createServer({})
        .on('tlsClientError', () => undefined)
        .listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        assert.equal(await unreachable(variant, `https://127.0.0.1:${port}`, /cannot be reached: .*alert/), 5);
      } finally {
        server.close();
      }
    },
  },
  {
    fault: 26,
    title: 'a server without TLS is tried five times',
    async run(variant) {
      await using server = await serve(variant, []);
      const url = server.url.replace('http:', 'https:');
      assert.equal(await unreachable(variant, url, /cannot be reached: .*wrong version/i), 5);
      assert.equal(server.requests.length, 0);
    },
  },
  {
    fault: 27,
    title: 'a reset before the response is retried',
    steps: [{ ...long, fault: reset(0) }, fine],
    failures: [['unavailable', /cannot be reached/]],
    reply: { text: 'Fine.', usage: [7, 2] },
  },
  {
    fault: 28,
    title: 'a reset within text discards the deltas and is retried, and only the complete reply counts',
    steps: (protocol) => [
      { ...long, usage: { input_tokens: 900, output_tokens: 90 }, fault: reset(protocol === 'chat' ? 2 : 4) },
      fine,
    ],
    modes: ['streamed'],
    failures: [['unavailable', /closed the connection before the reply was complete/]],
    reply: { text: 'Fine.', usage: [7, 2] },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text', 'reset', 'text']),
  },
  {
    fault: 28,
    title: 'a reset within a response that is not streamed is retried without deltas',
    steps: [{ ...long, fault: reset(1) }, fine],
    modes: ['whole'],
    failures: [['unavailable', /closed the connection before the reply was complete/]],
    reply: { text: 'Fine.', usage: [7, 2] },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text']),
  },
  {
    fault: 29,
    title: 'a reset within arguments returns no call and is retried',
    steps: (protocol) => [{ ...half, fault: reset(protocol === 'chat' ? 2 : 3) }, fine],
    modes: ['streamed'],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['tool-call', 'reset', 'text']),
  },
  {
    fault: 29,
    title: 'a reset within a response with arguments returns no call and is retried',
    steps: [{ ...half, fault: reset(1) }, fine],
    modes: ['whole'],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
  },
  ...[0, 1, 2, 3, 4].map((pieces) => ({
    fault: 30,
    title: `a stream that ends after ${pieces} pieces is retried`,
    modes: ['streamed'] as const,
    steps: [{ ...long, fault: cut(pieces) }, { ...half, fault: cut(Math.min(pieces, 3)) }, fine],
    failures: [
      ['unavailable', /ended its stream before the reply was complete/] as const,
      ['unavailable', /ended its stream before the reply was complete/] as const,
    ],
    reply: { text: 'Fine.' },
  })),
  {
    fault: 30,
    title: 'half a response is retried',
    modes: ['whole'],
    steps: [{ ...long, fault: cut(1) }, fine],
    failures: [['malformed-reply']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 31,
    title: 'a stream with a finish reason and without an end marker is complete',
    steps: (protocol) => [streamed(...streamedReply(protocol, 'Hello').filter((block) => block !== done))],
    reply: { text: 'Hello', finish: 'stop' },
  },
  {
    fault: 32,
    title: 'half an event at the end is retried',
    steps: (protocol) => [
      rawResponse({ headers: eventStream, body: `${word(protocol, 'Hello')}\n\ndata: {"choices":[{"de` }),
      fine,
    ],
    failures: [['unavailable', /ended its stream/]],
    reply: { text: 'Fine.' },
  },
  {
    fault: 33,
    title: 'a chunk that is not JSON is retried once',
    steps: (protocol) => {
      const broken = streamed(word(protocol, 'Hello'), 'data: {"choices": oops}', done);
      return [broken, broken];
    },
    failures: [
      ['malformed-reply', /not valid JSON: ".*oops/],
      ['malformed-reply', /not valid JSON: ".*oops/],
    ],
  },
  {
    fault: 33,
    title: 'an event that is not JSON is retried',
    steps: (protocol) => [streamed(word(protocol, 'Hello'), data('text').replace('"text"', '{')), fine],
    failures: [['malformed-reply']],
    reply: { text: 'Fine.' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text', 'reset', 'text']),
  },
];
