import assert from 'node:assert/strict';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { text, type Message } from '@varve/events';
import { userRequest } from '../../src/testing/index.ts';
import {
  rawResponse,
  chunk,
  data,
  done,
  eventStream,
  fine,
  grep,
  key,
  streamedReply,
  streamed,
  whole,
  word,
} from './answers.ts';
import type { FaultScenario, FaultRow, ProtocolName } from './fault-row.ts';
import { modelAt, serve } from './run-fault.ts';

type Encode = (body: Buffer) => Buffer;

const encodings: Readonly<Record<string, Encode>> = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

/** Splits bytes into pieces of a size, also within characters and compressed blocks. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const awkward = 'Grüße 😀 → 漢字';

/** Different encodings of the same events. */
const spellings: Readonly<Record<string, (body: string) => string>> = {
  'CR LF': (body) => body.replaceAll('\n', '\r\n'),
  CR: (body) => body.replaceAll('\n', '\r'),
  'a byte order mark': (body) => `\u{FEFF}${body}`,
  'no space after the colon': (body) => body.replaceAll('data: ', 'data:'),
  'comments, ids and retry hints': (body) =>
    body.replaceAll('data: ', ': OPENROUTER PROCESSING\nid: 7\nretry: 10\nsomething: else\ndata: '),
  'data in several lines': (body) => body.replaceAll(',"', ',\ndata: "'),
};

const events = (protocol: ProtocolName): string =>
  streamedReply(protocol, awkward)
    .map((block) => `${block}\n\n`)
    .join('');

const compressed: readonly FaultRow[] = Object.entries(encodings).flatMap(([name, encode]) => [
  {
    fault: 61,
    title: `events in ${name} are the same reply`,
    steps: (protocol) => [
      rawResponse({
        headers: { ...eventStream, 'content-encoding': name },
        body: inPieces(encode(Buffer.from(events(protocol))), 3),
      }),
    ],
    reply: { text: awkward, finish: 'stop' },
  },
  {
    fault: 61,
    title: `a response in ${name} is the same reply`,
    steps: (protocol) => [
      rawResponse({
        headers: { 'content-encoding': name },
        body: inPieces(encode(Buffer.from(JSON.stringify(whole(protocol, awkward)))), 5),
      }),
    ],
    reply: { text: awkward, finish: 'stop' },
  },
]);

const spelled: readonly FaultRow[] = Object.entries(spellings).map(([name, spell]) => ({
  fault: 61,
  title: `events with ${name} are the same reply`,
  steps: (protocol) => [rawResponse({ headers: eventStream, body: inPieces(Buffer.from(spell(events(protocol))), 7) })],
  reply: { text: awkward, finish: 'stop' },
}));

/** An argument of ten million characters, and the pieces of its stream. */
const huge = `{"pattern":"${'x'.repeat(10_000_000)}"}`;

function callPiece(fields: object): string {
  return chunk({ tool_calls: [{ index: 0, ...fields }] });
}

function hugeStream(protocol: ProtocolName): readonly string[] {
  const pieces = huge.match(/.{1,100000}/gs) ?? [];
  if (protocol === 'chat') {
    const head = callPiece({ id: 'a', type: 'function', function: { name: 'grep', arguments: '' } });
    return [
      head,
      ...pieces.map((piece) => callPiece({ function: { arguments: piece } })),
      chunk({}, 'tool_calls'),
      done,
    ];
  }
  const item = { type: 'function_call', id: 'fc_a', call_id: 'a', name: 'grep', arguments: '' };
  const at = { output_index: 0, item_id: 'fc_a' };
  return [
    data({ type: 'response.output_item.added', ...at, item }),
    ...pieces.map((delta) => data({ type: 'response.function_call_arguments.delta', ...at, delta })),
    data({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } }),
  ];
}

const half = '\u{D83D}';

const halves: Message = {
  role: 'tool',
  tool_call_id: 'a',
  name: 'grep',
  content: [text(`cut ${half}`)],
  thinking_blocks: [],
};

/** F60 to F63 and F68: encodings, keys and large bodies. */
export const byteFaults: readonly (FaultRow | FaultScenario)[] = [
  ...['Bearer KEY is wrong', 'see https://x.test/?api_key=KEY&a=1', 'headers: {"authorization":"Bearer KEY"}'].map(
    (words) => ({
      fault: 60,
      title: `the error for "${words}" does not contain the key`,
      steps: [
        rawResponse({
          status: 400,
          headers: { 'x-echo': key },
          body: { error: { message: words.replace('KEY', key) } },
        }),
      ],
      failures: [['bad-request', /\[redacted\]/] as const],
    }),
  ),
  {
    fault: 60,
    title: 'errors for an error in a stream, a page and a redirect do not contain the key',
    steps: () => [
      streamed(`event: error\ndata: out of memory for ${key}`),
      rawResponse({ status: 502, body: `<html><title>No ${key}</title></html>` }),
      rawResponse({ status: 307, headers: { location: `https://elsewhere.test/?key=${key}` }, body: '' }),
    ],
    failures: [
      ['unavailable', /\[redacted\]/],
      ['unavailable', /\[redacted\]/],
      ['bad-request', /\[redacted\]/],
    ],
  },
  {
    fault: 60,
    title: 'the text that precedes an error does not contain the key',
    steps: (protocol) => [streamed(word(protocol, `It is ${key}.`), `event: error\ndata: insufficient_quota`)],
    failures: [['quota']],
    also: ({ failures }) => assert.match(failures[0]?.partial?.text ?? '', /^It is \[redacted\]/),
  },
  {
    fault: 60,
    title: 'the names of the fields of an unreadable reply do not contain the key',
    protocols: ['chat'],
    modes: ['whole'],
    steps: () => [1, 2].map(() => rawResponse({ body: { id: 'x', [key]: 1, [key.slice(0, 20)]: 2 } })),
    failures: [
      ['malformed-reply', /its fields are "id", "…"/],
      ['malformed-reply', /its fields are "id", "…"/],
    ],
  },
  ...compressed,
  ...spelled,
  {
    fault: 62,
    title: 'a redirect is not followed, so that nothing is sent to another host',
    async run(variant) {
      await using other = await serve(variant, [fine]);
      const headers = { location: `${other.url}/chat/completions` };
      await using server = await serve(
        variant,
        [301, 302, 307, 308].map((status) => rawResponse({ status, headers, body: '' })),
      );
      for (let count = 0; count < 4; count += 1) {
        await assert.rejects(modelAt(variant, server).generate(userRequest('Hi')), {
          code: 'bad-request',
          message: /answered 30\d: a redirect to http:.*, which is not followed$/,
        });
      }
      server.assertDone();
      assert.equal(other.requests.length, 0);
    },
  },
  {
    fault: 63,
    title: 'an argument of 10 MB is complete',
    request: userRequest('Look', { tools: [grep] }),
    steps: (protocol, way) => [
      way === 'streamed' ? streamed(...hugeStream(protocol)) : { calls: [{ name: 'grep', arguments: huge }] },
    ],
    reply: { calls: [['grep', huge]], finish: 'tool-calls' },
  },
  {
    fault: 68,
    title: 'half a character in a result is sent as a valid character',
    request: userRequest('', {
      messages: [
        ...userRequest(`Look ${half}`).messages,
        {
          role: 'assistant',
          content: [],
          tool_calls: [{ id: 'a', name: 'grep', arguments: '{}', origin: 'completion' }],
          thinking_blocks: [],
        },
        halves,
      ],
    }),
    steps: [fine],
    reply: { text: 'Fine.' },
    also: ({ bodies }) => {
      const texts = stringsIn(bodies);
      assert.deepEqual(
        texts.filter((each) => !each.isWellFormed()),
        [],
      );
      assert.deepEqual(
        texts.filter((each) => each.includes('\u{FFFD}')),
        ['Look \u{FFFD}', 'cut \u{FFFD}'],
      );
    },
  },
];

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
