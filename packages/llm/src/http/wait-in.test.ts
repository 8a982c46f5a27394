import { expect, test } from 'vitest';
import { waitInText } from './wait-in.ts';

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

test('only the beginning of a long text is read', () => {
  expect(waitInText('try again in '.repeat(100_000))).toBe(undefined);
  expect(waitInText(`${'x'.repeat(4000)} try again in 1s`)).toBe(undefined);
});
