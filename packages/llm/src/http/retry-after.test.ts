import { expect, test } from 'vitest';
import { retryAfter } from './retry-after.ts';

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

test('a date that has passed is no wait, and nonsense is no wish', () => {
  expect(of({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' })).toBe(0);
  expect([of({}), of({ 'retry-after': 'soon' }), of({ 'retry-after-ms': '-5' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
