import { describe, expect, test } from 'vitest';
import { LlmError, type LlmErrorCode } from '../error.ts';
import { asking, scriptedServer, type Fault, type ScriptedStep } from '../testing/index.ts';
import { openaiChat, type OpenAiChatOptions } from './openai-chat.ts';

type Answer = Omit<Extract<Fault, { readonly kind: 'answer' }>, 'kind'>;

interface Row {
  readonly title: string;
  readonly step: ScriptedStep;
  readonly code: LlmErrorCode;
  /** What the message holds. */
  readonly message?: RegExp;
  readonly options?: Partial<OpenAiChatOptions>;
  /** Both ways when absent. */
  readonly stream?: boolean;
}

function answered(answer: Answer): ScriptedStep {
  return { fault: { kind: 'answer', ...answer } };
}

const eventStream = { 'content-type': 'text/event-stream' };

function streamed(...lines: readonly string[]): ScriptedStep {
  const body = lines.map((line) => `${line}\n\n`).join('');
  return answered({ headers: eventStream, body });
}

const hello = 'data: {"choices":[{"delta":{"content":"Hello"}}]}';
const long = { text: 'A reply of several pieces, none of which is the last.' };
const half = { calls: [{ name: 'terminal', arguments: { command: 'rm -rf /tmp/some/long/path' } }] };
const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>secret page</body></html>';

const rows: readonly Row[] = [
  { title: '429', step: answered({ status: 429, body: '' }), code: 'rate-limited', message: /answered 429$/ },
  {
    title: '429 without credit',
    step: answered({ status: 429, body: { error: { code: 'insufficient_quota', message: 'No credit.' } } }),
    code: 'quota',
  },
  {
    title: '500 with JSON',
    step: answered({ status: 500, body: { error: 'Boom.' } }),
    code: 'unavailable',
    message: /500: Boom\./,
  },
  {
    title: '502 with HTML',
    step: answered({ status: 502, body: page }),
    code: 'unavailable',
    message: /answered 502: an HTML page titled "Sign in"$/,
  },
  { title: '520 without a body', step: answered({ status: 520, body: '' }), code: 'unavailable' },
  { title: '408', step: answered({ status: 408, body: '' }), code: 'timeout' },
  { title: '409', step: answered({ status: 409, body: '' }), code: 'unavailable' },
  {
    title: '401',
    step: answered({ status: 401, body: { error: { message: 'No.' } } }),
    code: 'unauthenticated',
    message: /401: No\./,
  },
  {
    title: '403',
    step: answered({ status: 403, body: { detail: 'Forbidden' } }),
    code: 'unauthenticated',
    message: /Forbidden/,
  },
  { title: '402', step: answered({ status: 402, body: '' }), code: 'quota' },
  {
    title: '404 for the model',
    step: answered({ status: 404, body: { error: { message: 'The model m does not exist.' } } }),
    code: 'unknown-model',
    message: /^m at http:\/\/127\.0\.0\.1:\d+\/v1 answered 404: The model m does not exist\.$/,
  },
  { title: '413 without a body', step: answered({ status: 413, body: '' }), code: 'context-overflow' },
  {
    title: '400 for tools',
    step: answered({ status: 400, body: { error: { message: 'gemma does not support tools' } } }),
    code: 'unsupported',
  },
  {
    title: 'an error that a router hands on',
    step: answered({
      status: 400,
      body: { error: { message: 'Provider returned error', metadata: { raw: 'prompt is too long' } } },
    }),
    code: 'context-overflow',
    message: /Provider returned error: prompt is too long/,
  },
  {
    title: 'a redirect',
    step: answered({ status: 307, headers: { location: 'https://elsewhere.test/v1' }, body: '' }),
    code: 'bad-request',
    message: /307: a redirect to https:\/\/elsewhere\.test\/v1, which is not followed/,
  },
  {
    title: 'a connection that is reset before the answer',
    step: { fault: { kind: 'reset', afterPieces: 0 } },
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
    title: 'a stream that ends without a finish reason or end marker',
    step: { ...long, fault: { kind: 'cut', afterPieces: 2 } },
    code: 'unavailable',
    message: /ended its stream before the reply was complete/,
    stream: true,
  },
  {
    title: 'arguments that are cut',
    step: { ...half, fault: { kind: 'cut', afterPieces: 2 } },
    code: 'unavailable',
    stream: true,
  },
  {
    title: 'a stream of nothing',
    step: { ...long, fault: { kind: 'cut', afterPieces: 0 } },
    code: 'unavailable',
    stream: true,
  },
  {
    title: 'half an event at the end',
    step: answered({ headers: eventStream, body: `${hello}\n\ndata: {"choices":[{"de` }),
    code: 'unavailable',
  },
  {
    title: 'a piece that is no JSON',
    step: streamed(hello, 'data: {"choices": oops}'),
    code: 'malformed-reply',
    message: /not JSON: ".*oops/,
  },
  {
    title: 'an error object in a stream',
    step: streamed(hello, 'data: {"error":{"code":429,"message":"Slow down."}}'),
    code: 'rate-limited',
    message: /reported an error: Slow down\./,
  },
  {
    title: 'an error event in a stream',
    step: streamed(hello, 'event: error\ndata: {"message":"overloaded"}'),
    code: 'rate-limited',
  },
  {
    title: 'an error event that is no JSON',
    step: streamed('event: error\ndata: out of memory'),
    code: 'unavailable',
    message: /reported an error: out of memory/,
  },
  {
    title: 'an error as the finish reason',
    step: streamed('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"error"}]}', 'data: [DONE]'),
    code: 'unavailable',
  },
  {
    title: 'HTML with status 200',
    step: answered({ body: page }),
    code: 'malformed-reply',
    message: /answered with an HTML page titled "Sign in" instead of a reply\./,
  },
  {
    title: 'nothing with status 200',
    step: answered({ body: '' }),
    code: 'malformed-reply',
    message: /answered with nothing/,
  },
  {
    title: 'a word with status 200',
    step: answered({ body: 'ok' }),
    code: 'malformed-reply',
    message: /answered with "ok"/,
  },
  { title: 'no choices', step: answered({ body: { choices: [] } }), code: 'malformed-reply' },
  {
    title: 'an error object with status 200',
    step: answered({ body: { error: 'Unexpected endpoint or method. (POST /v1/v1)' } }),
    code: 'bad-request',
    message: /Unexpected endpoint/,
  },
  {
    title: 'a status inside an error with status 200',
    step: answered({ body: { error: { code: 503 } } }),
    code: 'unavailable',
  },
  { title: 'an empty reply', step: { text: '' }, code: 'empty' },
  { title: 'a limit that cut everything', step: { text: '', finish: 'length' }, code: 'truncated' },
  {
    title: 'silence in the middle of a stream',
    step: { ...long, fault: { kind: 'hang', afterPieces: 1 } },
    code: 'timeout',
    message: /was silent for 40 ms/,
    options: { idleTimeoutMs: 40 },
    stream: true,
  },
  {
    title: 'a call that takes too long',
    step: { ...long, fault: { kind: 'hang', afterPieces: 0 } },
    code: 'timeout',
    message: /took longer than 40 ms/,
    options: { timeoutMs: 40 },
  },
];

const both = rows.flatMap(({ stream, ...row }) =>
  (stream === undefined ? [true, false] : [stream]).map((each) => ({
    ...row,
    stream: each,
    way: each ? 'streaming' : 'not streaming',
  })),
);

describe('what goes wrong on the wire', () => {
  test.for(both)('$title, $way, is $code', async ({ step, code, message, options, stream }) => {
    await using server = await scriptedServer([step]);
    const model = openaiChat({ model: 'm', baseUrl: server.url, stream, ...options });
    const error: unknown = await model.generate(asking('Hi')).catch((caught: unknown) => caught);
    if (!(error instanceof LlmError)) throw new Error(`no LlmError: ${String(error)}`);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message ?? /./)]);
    expect(error.message.length).toBeLessThan(400);
    // A short time may be over before the request is out.
    if (options?.timeoutMs === undefined) server.assertDone();
  });
});

function wait(headers: Readonly<Record<string, string>>): ScriptedStep {
  return answered({ status: 429, headers, body: '' });
}

test('the provider says how long to wait', async () => {
  await using server = await scriptedServer([
    wait({ 'retry-after': '2' }),
    wait({ 'retry-after-ms': '150' }),
    wait({}),
    answered({ status: 429, body: { error: { message: 'Please try again in 1.5s.' } } }),
    answered({ body: { error: { code: 429, message: 'Please try again in 20ms.' } } }),
  ]);
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  const waits: (number | undefined)[] = [];
  for (let count = 0; count < 5; count += 1) {
    await model.generate(asking('Hi')).catch((error: LlmError) => waits.push(error.retryAfterMs));
  }
  expect(waits).toEqual([2000, 150, undefined, 1500, 20]);
});

test('a refused connection is unavailable and names the address', async () => {
  const server = await scriptedServer([]);
  await server[Symbol.asyncDispose]();
  const asked = openaiChat({ model: 'm', baseUrl: server.url }).generate(asking('Hi'));
  const port = new URL(server.url).port;
  await expect(asked).rejects.toMatchObject({
    code: 'unavailable',
    message: `m at ${server.url} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`,
  });
});

test('a name that does not resolve is unavailable', async () => {
  const unresolved = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.test'), { code: 'ENOTFOUND' });
  const fetch = async (): Promise<never> => Promise.reject(new TypeError('fetch failed', { cause: unresolved }));
  const asked = openaiChat({ model: 'm', baseUrl: 'http://nowhere.test', fetch }).generate(asking('Hi'));
  const message = 'm at http://nowhere.test/v1 cannot be reached: getaddrinfo ENOTFOUND nowhere.test.';
  await expect(asked).rejects.toMatchObject({ code: 'unavailable', message, cause: unresolved });
});
