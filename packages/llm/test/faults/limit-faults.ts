import assert from 'node:assert/strict';
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import type { ReplyLimits } from '../../src/http/reply-limits.ts';
import type { ScriptedStep } from '../../src/testing/index.ts';
import { chunk, data, eventStream, rawResponse, whole, withTools, word } from './answers.ts';
import type { FaultRow, ProtocolName } from './fault-row.ts';

/** Small limits, so that a test is short; `limits.test.ts` has the defaults. */
const limits: Partial<ReplyLimits> = {
  bodyBytes: 3_000_000,
  characters: 500_000,
  events: 2000,
  values: 3000,
  calls: 50,
};

/** Repeats a piece for as long as the client reads. */
async function* endless(piece: string, ...start: readonly string[]): AsyncGenerator<string> {
  yield* start;
  const block = piece.repeat(Math.ceil(20_000 / piece.length));
  for (;;) yield block;
}

function compressed(pieces: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  return Readable.from(pieces).pipe(createGzip());
}

/** Usage that the server sends before its reply does not end. */
const usage: Readonly<Record<ProtocolName, string>> = {
  chat: data({ id: 'c', choices: [], usage: { prompt_tokens: 11, completion_tokens: 3 } }),
  responses: data({
    type: 'response.in_progress',
    response: { id: 'r', usage: { input_tokens: 11, output_tokens: 3 } },
  }),
};

/** A piece of a call that begins with it. */
const anotherCall: Readonly<Record<ProtocolName, (index: number) => string>> = {
  chat: (index) => chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: 'grep', arguments: '{}' } }] }),
  responses: (index) =>
    data({
      type: 'response.output_item.added',
      output_index: index,
      item: { type: 'function_call', call_id: `c${index}`, name: 'grep', arguments: '{}' },
    }),
};

const longArguments: Readonly<Record<ProtocolName, string>> = {
  chat: chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'grep', arguments: 'x'.repeat(1000) } }] }),
  responses: data({ type: 'response.function_call_arguments.delta', output_index: 0, delta: 'x'.repeat(1000) }),
};

/** Opaque data, which a reply keeps and no delta contains. */
const opaque: Readonly<Record<ProtocolName, (index: number) => string>> = {
  chat: (index) => chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index, data: 'x'.repeat(1000) }] }),
  responses: (index) =>
    data({
      type: 'response.output_item.done',
      output_index: index,
      item: { type: 'reasoning', encrypted_content: 'x'.repeat(1000) },
    }),
};

const numbered = (block: (index: number) => string): string =>
  Array.from({ length: 1500 }, (_, index) => `${block(index)}\n\n`).join('');

type Body = (protocol: ProtocolName) => string | AsyncIterable<string | Uint8Array>;

function events(body: Body, headers: Readonly<Record<string, string>> = {}) {
  return (protocol: ProtocolName): readonly ScriptedStep[] => [
    rawResponse({ headers: { ...eventStream, ...headers }, body: body(protocol) }),
  ];
}

function json(body: Body, headers: Readonly<Record<string, string>> = {}) {
  return (protocol: ProtocolName): readonly ScriptedStep[] => [
    rawResponse({ headers: { 'content-type': 'application/json', ...headers }, body: body(protocol) }),
  ];
}

const wholeStart = (protocol: ProtocolName): string => JSON.stringify(whole(protocol, 'x')).replace(/x".*$/, '');
const gzip = { 'content-encoding': 'gzip' };

const endlessReplies: readonly (readonly [what: string, steps: ReturnType<typeof events>, limit: RegExp])[] = [
  [
    'text',
    events((protocol) => endless(`${word(protocol, 'x'.repeat(1000))}\n\n`)),
    /^m at .* sent more than the limit of 500000 characters in one reply\.$/,
  ],
  ['a list of short events', events((protocol) => endless(`${word(protocol, 'x')}\n\n`)), /2000 events in one reply/],
  ['an event', events(() => endless('x', 'data: ')), /500000 characters in one event/],
  [
    'the lines of an event',
    events(() => endless('data:\n')),
    /100000 lines in one event|500000 characters in one event/,
  ],
  ['comments', events(() => endless(': x\n\n')), /100000 lines in one event|3000000 bytes in a response/],
  ['a line of no kind', events(() => endless('x')), /3000000 bytes in a response/],
  ['arguments', events((protocol) => endless(`${longArguments[protocol]}\n\n`)), /500000 characters in one reply/],
  ['calls', events((protocol) => numbered(anotherCall[protocol])), /50 calls in one reply/],
  ['opaque data', events((protocol) => numbered(opaque[protocol])), /500000 characters in one reply/],
  ['a JSON string', json((protocol) => endless('x', wholeStart(protocol))), /500000 bytes in a response/],
  ['white space', json(() => endless(' ')), /500000 bytes in a response/],
  ['events of the wrong type', json(() => endless('data: {}\n\n')), /500000 bytes in a response/],
  ['compressed text', json((protocol) => compressed(endless('x', wholeStart(protocol))), gzip), /500000 bytes/],
  ['compressed events', events(() => compressed(endless('x', 'data: ')), gzip), /500000 characters in one event/],
];

const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** F69 to F71: replies without an end, of any structure, and errors without an end. */
export const limitFaults: readonly FaultRow[] = [
  ...endlessReplies.map(([what, steps, limit]): FaultRow => ({
    fault: 69,
    title: `${what} without an end exceeds a limit, and is not requested again`,
    request: withTools,
    options: { limits },
    steps,
    failures: [['reply-limit', limit]],
    also: ({ failures }) => assert.equal(failures[0]?.isRetryable, false),
  })),
  {
    fault: 69,
    title: 'usage that precedes text without an end is billed',
    options: { limits },
    steps: events((protocol) => endless(`${word(protocol, 'x'.repeat(1000))}\n\n`, `${usage[protocol]}\n\n`)),
    failures: [['reply-limit']],
    also({ failures }) {
      const [attempt] = failures[0]?.failedAttempts ?? [];
      assert.deepEqual([attempt?.code, attempt?.usage?.input_tokens], ['reply-limit', 11]);
    },
  },
  ...[1000, 50_000, 5_000_000].flatMap((depth): readonly FaultRow[] => [
    {
      fault: 70,
      title: `JSON of ${depth} levels exceeds a limit`,
      options: { limits: { characters: 20_000_000 } },
      steps: json(() => nested(depth)),
      failures: [['reply-limit', /limit of 200 levels of JSON/]],
    },
    {
      fault: 70,
      title: `an event of ${depth} levels exceeds a limit`,
      options: { limits: { characters: 20_000_000 } },
      steps: events(() => `data: ${nested(depth)}\n\n`),
      failures: [['reply-limit', /limit of 200 levels of JSON/]],
    },
    {
      fault: 70,
      title: `an error of ${depth} levels is an error`,
      steps: [rawResponse({ status: 400, body: `{"error":${nested(depth)}}` })],
      failures: [['bad-request', /answered 400/]],
    },
  ]),
  {
    fault: 70,
    title: 'more choices or items than a limit are refused before they are parsed',
    options: { limits },
    steps: json((protocol) => `{"${protocol === 'chat' ? 'choices' : 'output'}":[${'{},'.repeat(5000)}{}]}`),
    failures: [['reply-limit', /limit of 3000 values in one JSON text/]],
  },
  ...[400, 404, 307].map((status): FaultRow => ({
    fault: 71,
    title: `an error ${status} without an end is an error`,
    steps: () => [rawResponse({ status, headers: { location: '/elsewhere' }, body: endless('x') })],
    failures: [
      [status === 404 ? 'unknown-model' : 'bad-request', /answered \d+: (?:a body of more than|a redirect to)/],
    ],
    also: ({ abandoned }) => assert.deepEqual(abandoned, [true]),
  })),
  {
    fault: 71,
    title: 'a compressed error without an end is an error',
    steps: () => [rawResponse({ status: 400, headers: gzip, body: compressed(endless('x')) })],
    failures: [['bad-request', /answered 400: a body of more than 1000000 bytes/]],
  },
];
