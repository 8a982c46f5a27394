import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { segmentFor } from './segment.ts';

/** Counts the reads of event kinds while a segment of a view of this length is searched. */
function readsOf(length: number): number {
  const { user } = eventFactory();
  let reads = 0;
  const events = Array.from({ length }, () => ({
    ...user('x'),
    get kind() {
      reads++;
      return 'MessageEvent' as const;
    },
  }));
  const cut = segmentFor(events, { first: 2, target: length - 9, limit: length - 1, least: 2 });
  expect(cut).toEqual({ start: 2, end: length - 9 });
  return reads;
}

test('the cost of finding a cut is linear', () => {
  expect(readsOf(200)).toBeLessThan(3 * readsOf(100));
});

test('a prompt does not count as an event that can be forgotten', () => {
  const { prompt, user } = eventFactory();
  const events = [user('a'), user('b'), prompt(), user('c'), user('d')];
  const request = { first: 1, target: 3, limit: 5 };
  expect(segmentFor(events, { ...request, least: 1 })).toEqual({ start: 1, end: 3 });
  expect(segmentFor(events, { ...request, least: 2 })).toEqual({ start: 1, end: 4 });
  expect(segmentFor(events, { ...request, least: 4 })).toBeUndefined();
});
