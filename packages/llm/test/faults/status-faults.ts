import assert from 'node:assert/strict';
import { userRequest } from '../../src/testing/index.ts';
import { rawResponse, failing, fine, key, page } from './answers.ts';
import type { FaultRow } from './fault-row.ts';
import { overflowTexts } from './overflow-texts.ts';

const loading = failing(503, 'Loading model');
const crowded = rawResponse({ status: 429, body: '' });
const pages = [502, 503, 520, 521, 522, 523, 525, 526, 527, 528];

function waiting(value: string): ReturnType<typeof rawResponse> {
  return rawResponse({ status: 429, headers: { 'retry-after': value }, body: '' });
}

/** A function, because the date depends on the current time. */
const inFiftySeconds = (): Exclude<ReturnType<typeof rawResponse>, (...args: never) => unknown> => ({
  fault: {
    kind: 'answer',
    status: 429,
    headers: { 'retry-after': new Date(Date.now() + 50_000).toUTCString() },
    body: '',
  },
});

/** F1 to F16: HTTP status codes. */
export const statusFaults: readonly FaultRow[] = [
  {
    fault: 1,
    title: '429 with a Retry-After of 2 seconds waits 2 seconds',
    steps: [waiting('2'), fine],
    failures: [['rate-limited', /answered 429$/]],
    waits: [2000],
    reply: { text: 'Fine.' },
  },
  {
    fault: 1,
    title: '429 with a wait in milliseconds waits that long',
    steps: [rawResponse({ status: 429, headers: { 'retry-after-ms': '150' }, body: '' }), fine],
    failures: [['rate-limited']],
    waits: [150],
    reply: { text: 'Fine.' },
  },
  {
    fault: 1,
    title: '429 with a wait in its message waits that long',
    steps: [failing(429, 'Please try again in 1.5s.'), fine],
    failures: [['rate-limited']],
    waits: [1500],
    reply: { text: 'Fine.' },
  },
  {
    fault: 2,
    title: '429 with a date waits until then',
    steps: [inFiftySeconds, fine],
    failures: [['rate-limited']],
    reply: { text: 'Fine.' },
    // Dates have whole seconds; the rest is a tolerance for a busy machine.
    also: ({ waits: [wait = 0] }) => assert.ok(wait > 15_000 && wait <= 50_000, String(wait)),
  },
  {
    fault: 2,
    title: '429 with a past date is retried immediately',
    steps: [waiting('Wed, 21 Oct 2015 07:28:00 GMT'), fine],
    failures: [['rate-limited']],
    waits: [0],
    reply: { text: 'Fine.' },
  },
  {
    fault: 2,
    title: '429 with a date in years does not wait',
    steps: [waiting('Fri, 31 Dec 2999 23:59:59 GMT')],
    failures: [['rate-limited']],
    also: ({ failures: [error] }) => assert.ok((error?.retryAfterMs ?? 0) > 1e12),
  },
  {
    fault: 3,
    title: '429 with a wait of two hours is the failure, with that wait',
    steps: [waiting('7200')],
    failures: [['rate-limited']],
    waits: [],
    also: ({ failures: [error] }) => assert.equal(error?.retryAfterMs, 7_200_000),
  },
  {
    fault: 4,
    title: '429 without credit is the quota',
    steps: [failing(429, 'No credit.', { code: 'insufficient_quota' })],
    failures: [['quota', /429: No credit\./]],
  },
  {
    fault: 5,
    title: '429 five times is the failure',
    steps: [crowded, crowded, crowded, crowded, crowded],
    failures: [['rate-limited'], ['rate-limited'], ['rate-limited'], ['rate-limited'], ['rate-limited']],
  },
  {
    fault: 6,
    title: '500 with JSON is retried',
    steps: [failing(500, 'Boom.'), fine],
    failures: [['unavailable', /answered 500: Boom\.$/]],
    reply: { text: 'Fine.' },
  },
  ...pages.map((status) => ({
    fault: 7,
    title: `${status} with a page is retried, and the error does not contain the page`,
    steps: [rawResponse({ status, body: page }), fine],
    failures: [['unavailable', new RegExp(`answered ${status}: an HTML page titled "Sign in"$`)] as const],
    reply: { text: 'Fine.' },
  })),
  {
    fault: 7,
    title: '524 and 529 with a page have their own codes and are retried',
    steps: [rawResponse({ status: 524, body: page }), rawResponse({ status: 529, body: page }), fine],
    failures: [['timeout'], ['rate-limited']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 8,
    title: '503 eight times while a model is loading is retried and does not count',
    steps: [loading, loading, loading, loading, loading, loading, loading, loading, fine],
    failures: Array.from({ length: 8 }, () => ['unavailable', /Loading model/] as const),
    waits: Array.from({ length: 8 }, () => 2000),
    reply: { text: 'Fine.' },
    also: ({ replies: [reply] }) => assert.equal(reply?.attempts, 9),
  },
  ...[401, 403].map((status) => ({
    fault: 9,
    title: `${status} that repeats the key is not retried, and the error does not contain the key`,
    steps: [failing(status, `Forbidden: ${key}.`)],
    failures: [['unauthenticated', new RegExp(`answered ${status}: Forbidden: \\[redacted\\]`)] as const],
  })),
  {
    fault: 10,
    title: '402 with an affordable limit of 4000 tokens is retried with that limit',
    request: userRequest('Hi', { parameters: { maxOutputTokens: 65_536 } }),
    steps: [failing(402, 'You requested up to 65536 tokens, but can only afford 4000.'), fine, fine],
    repeats: 2,
    reply: { text: 'Fine.' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map((body) => body['max_tokens'] ?? body['max_output_tokens']),
        [65_536, 4000, 65_536],
      ),
  },
  {
    fault: 11,
    title: '402 is the quota',
    steps: [rawResponse({ status: 402, body: '' })],
    failures: [['quota', /answered 402$/]],
  },
  {
    fault: 12,
    title: '404 for the model names the model and the address',
    steps: [failing(404, 'The model m does not exist.', { code: 'model_not_found' })],
    failures: [['unknown-model', /^m at http:\/\/127\.0\.0\.1:\d+\/v1 answered 404: The model m does not exist\.$/]],
  },
  {
    fault: 13,
    title: '408, 409 and 504 are retried',
    steps: [408, 409, 504].map((status) => rawResponse({ status, body: '' })).concat(fine),
    failures: [['timeout'], ['unavailable'], ['timeout']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 14,
    title: '413 without a body is a context overflow',
    steps: [rawResponse({ status: 413, body: '' })],
    failures: [['context-overflow']],
  },
  ...overflowTexts.map((text) => ({
    fault: 15,
    title: `400 "${text}" is a context overflow`,
    steps: [failing(400, text)],
    failures: [['context-overflow'] as const],
  })),
  {
    fault: 15,
    title: '400 of a provider forwarded by a router is a context overflow',
    steps: [failing(400, 'Provider returned error', { metadata: { raw: 'prompt is too long' } })],
    failures: [['context-overflow', /Provider returned error: prompt is too long/]],
  },
  {
    fault: 15,
    title: '400 with the code for it is a context overflow',
    steps: [failing(400, 'No.', { code: 'context_length_exceeded' })],
    failures: [['context-overflow']],
  },
  {
    fault: 16,
    title: '400 for throttling that mentions tokens is retried',
    steps: [failing(400, 'ThrottlingException: Too many tokens, please wait before trying again.'), fine],
    failures: [['rate-limited']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 16,
    title: 'a limit of tokens per minute is retried',
    steps: [failing(429, 'Rate limit reached: too many tokens per minute for the context window.'), fine],
    failures: [['rate-limited']],
    reply: { text: 'Fine.' },
  },
];
