import { expect, test } from 'vitest';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest, scriptedServer, type ScriptedStep } from '../testing/index.ts';
import { limitReset, retryAfter, waitInText } from './retry-delay.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function of(headers: Readonly<Record<string, string>>): number | undefined {
  return retryAfter(new Headers(headers), now);
}

test('seconds, dates and milliseconds are read, milliseconds first', () => {
  expect(of({ 'retry-after': '2' })).toBe(2000);
  expect(of({ 'retry-after': '0.5' })).toBe(500);
  expect(of({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' })).toBe(30_000);
  expect(of({ 'retry-after': '9', 'retry-after-ms': '120' })).toBe(120);
});

test('a date in the past is 0, and an unreadable value is undefined', () => {
  expect(of({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0);
  expect([of({}), of({ 'retry-after': 'soon' }), of({ 'retry-after-ms': '-5' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.for([
  ['Rate limit reached for gpt-5.1. Please try again in 1.2s. Visit the page.', 1200],
  ['Please try again in 350ms.', 350],
  ['Please try again in 6m0s.', 360_000],
  ['Please try again in 1h2m3.5s.', 3_723_500],
  ['Please retry in 20.5 seconds', 20_500],
  ['You can retry after 2 minutes.', 120_000],
  ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}', 37_000],
  ['{"retryDelay": "0.250s"}', 250],
  ['Try again in 5 sandwiches.', undefined],
  ['Try again in a while.', undefined],
  ['Slow down.', undefined],
  ['Try again in 3 milliseconds.', 3],
] as const)('%s', ([text, ms]) => {
  expect(waitInText(text)).toBe(ms);
});

test('only the start of a long text is read', () => {
  expect(waitInText('try again in '.repeat(100_000))).toBe(undefined);
  expect(waitInText(`${'x'.repeat(4000)} try again in 1s`)).toBe(undefined);
});

test.for<readonly [string, Readonly<Record<string, string>>, number | undefined]>([
  [
    'the limit that is used up',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m2s',
      'x-ratelimit-remaining-tokens': '90',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    62_000,
  ],
  [
    'the later one of two that are used up',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '12ms',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '2.5s',
    },
    2500,
  ],
  [
    'tokens, when something is left of each',
    { 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '3', 'x-ratelimit-reset-requests': '9s' },
    3000,
  ],
  [
    'tokens, but not until all of them are back',
    { 'x-ratelimit-remaining-tokens': '149984', 'x-ratelimit-reset-tokens': '6m0s' },
    60_000,
  ],
  [
    'a date',
    {
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
    },
    30_000,
  ],
  ['a moment in milliseconds', { 'x-ratelimit-reset': String(now + 5000) }, 5000],
  ['a moment in seconds', { 'x-ratelimit-reset': String(now / 1000 + 4) }, 4000],
  ['a moment that has passed', { 'x-ratelimit-reset': String(now - 5000) }, 0],
  ['nothing readable', { 'x-ratelimit-reset-tokens': 'soon' }, undefined],
  ['nothing', {}, undefined],
])('%s', ([, headers, expected]) => {
  expect(limitReset(new Headers(headers), now)).toBe(expected);
});

test('limits are the wait after too many requests, and after no other failure', async () => {
  const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' };
  const failing = (status: number, more = {}): ScriptedStep => ({
    fault: { kind: 'answer', status, headers: { ...headers, ...more }, body: '' },
  });
  await using server = await scriptedServer([failing(429), failing(429, { 'retry-after': '2' }), failing(500)]);
  const waits: unknown[] = [];
  while (server.requests.length < 3) {
    const asked = openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
    await asked.catch((error: { readonly retryAfterMs?: number }) => waits.push(error.retryAfterMs));
  }
  expect(waits).toEqual([7000, 2000, undefined]);
});
