import { expect, test } from 'vitest';
import { userRequest, scriptedServer, type ScriptedStep } from '../testing/index.ts';
import { limitReset } from './limit-reset.ts';
import { openaiChat } from '../chat/openai-chat.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

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

test('limits say how long to wait after too many requests, and only then', async () => {
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
