import { describe, expect, test } from 'vitest';
import { LlmError } from '../error.ts';
import { asking, scriptedResponses, type Fault, type ScriptedStep } from '../testing/index.ts';
import { openaiResponses, type OpenAiResponsesOptions } from './openai-responses.ts';

const key = 'sk-test-0123456789abcdef';
const page = '<!doctype html><title>Sign in</title>';
const long = { text: 'A reply of several pieces.', reasoning: 'Thought about for long.' };
const half = { calls: [{ name: 'grep', arguments: '{"pattern": "a long pattern"}' }] };

interface Row {
  readonly title: string;
  readonly step: ScriptedStep;
  readonly code: LlmError['code'];
  readonly message?: RegExp;
  readonly options?: Partial<OpenAiResponsesOptions>;
  /** Both ways when absent. */
  readonly stream?: boolean;
}

function answered(fields: Omit<Extract<Fault, { kind: 'answer' }>, 'kind'>): ScriptedStep {
  return { fault: { kind: 'answer', ...fields } };
}

const events = { 'content-type': 'text/event-stream' };

const rows: readonly Row[] = [
  {
    title: '500',
    step: answered({ status: 500, body: { error: { message: 'Oops.' } } }),
    code: 'unavailable',
    message: /500: Oops\./,
  },
  { title: '502 with a page', step: answered({ status: 502, body: page }), code: 'unavailable', message: /"Sign in"/ },
  { title: '503', step: answered({ status: 503, body: '' }), code: 'unavailable' },
  { title: '529', step: answered({ status: 529, body: '' }), code: 'rate-limited' },
  {
    title: '429 without credit',
    step: answered({ status: 429, body: { error: { code: 'insufficient_quota' } } }),
    code: 'quota',
  },
  {
    title: '401 that repeats the key',
    step: answered({ status: 401, body: { error: { message: `Bad key ${key}` } } }),
    code: 'unauthenticated',
    message: /^(?!.*0123456789abcdef)/,
  },
  {
    title: '404 for the model',
    step: answered({ status: 404, body: { error: { code: 'model_not_found' } } }),
    code: 'unknown-model',
  },
  { title: '413', step: answered({ status: 413, body: '' }), code: 'context-overflow' },
  {
    title: '400 for the length',
    step: answered({ status: 400, body: { error: { code: 'context_length_exceeded' } } }),
    code: 'context-overflow',
  },
  {
    title: '400 for an item that is missing',
    step: answered({
      status: 400,
      body: { error: { message: "Item 'rs_1' was provided without its required following item." } },
    }),
    code: 'bad-request',
  },
  {
    title: 'a redirect',
    step: answered({ status: 307, headers: { location: 'https://elsewhere.test/v1' }, body: '' }),
    code: 'bad-request',
  },
  {
    title: 'a page with status 200',
    step: answered({ body: page }),
    code: 'malformed-reply',
    message: /instead of a reply/,
  },
  { title: 'nothing with status 200', step: answered({ body: '' }), code: 'malformed-reply' },
  {
    title: 'an error with status 200',
    step: answered({ body: { error: { code: 503, message: 'Busy.' } } }),
    code: 'unavailable',
  },
  {
    title: 'a reset before the answer',
    step: { ...long, fault: { kind: 'reset', afterPieces: 0 } },
    code: 'unavailable',
  },
  {
    title: 'a reset in the middle of text',
    step: { ...long, fault: { kind: 'reset', afterPieces: 1 } },
    code: 'unavailable',
  },
  {
    title: 'a reset in the middle of arguments',
    step: { ...half, fault: { kind: 'reset', afterPieces: 1 } },
    code: 'unavailable',
  },
  {
    title: 'a stream that ends too early',
    step: { ...long, fault: { kind: 'cut', afterPieces: 4 } },
    code: 'unavailable',
    stream: true,
  },
  {
    title: 'arguments that are cut',
    step: { ...half, fault: { kind: 'cut', afterPieces: 3 } },
    code: 'unavailable',
    stream: true,
  },
  {
    title: 'a piece that is no JSON',
    step: answered({ headers: events, body: 'data: {oops\n\n' }),
    code: 'malformed-reply',
  },
  {
    title: 'an error event',
    step: answered({ headers: events, body: 'event: error\ndata: {"type":"error","code":"rate_limit_exceeded"}\n\n' }),
    code: 'rate-limited',
  },
  {
    title: 'silence in a stream',
    step: { ...long, fault: { kind: 'hang', afterPieces: 1 } },
    code: 'timeout',
    message: /was silent/,
    options: { idleTimeoutMs: 40 },
    stream: true,
  },
  {
    title: 'a call that takes too long',
    step: { ...long, fault: { kind: 'hang', afterPieces: 0 } },
    code: 'timeout',
    message: /took longer/,
    options: { timeoutMs: 40 },
  },
];

const both = rows.flatMap(({ stream, ...row }) =>
  (stream === undefined ? [true, false] : [stream]).map((each) => ({ ...row, stream: each })),
);

describe('what goes wrong on the wire of the Responses protocol', () => {
  test.for(both)('$title is $code (stream: $stream)', async ({ step, code, message, options, stream }) => {
    await using server = await scriptedResponses([step]);
    const model = openaiResponses({ model: 'm', apiKey: key, baseUrl: server.url, stream, ...options });
    const error: unknown = await model.generate(asking('Hi')).catch((caught: unknown) => caught);
    if (!(error instanceof LlmError)) throw new Error(`no LlmError: ${String(error)}`);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message ?? /./)]);
  });
});

test('a stream that its caller aborts leaves its connection', async () => {
  await using server = await scriptedResponses([{ ...long, fault: { kind: 'hang', afterPieces: 4 } }]);
  const caller = new AbortController();
  const asked = openaiResponses({ model: 'm', baseUrl: server.url }).generate(asking('Hi'), {
    signal: caller.signal,
    onDelta: () => caller.abort(),
  });
  await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  expect(await server.requests[0]?.abandoned).toBe(true);
});
