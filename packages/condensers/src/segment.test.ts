import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { segmentFor } from './segment.ts';

/** How often the kind of an event is looked at to find a cut among so many. */
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

test('looking for a cut costs each event the same, however many there are', () => {
  expect(readsOf(200)).toBeLessThan(3 * readsOf(100));
});

test('a prompt between the events does not count as one that can be forgotten', () => {
  const { prompt, user } = eventFactory();
  const events = [user('a'), user('b'), prompt(), user('c'), user('d')];
  const wish = { first: 1, target: 3, limit: 5 };
  expect(segmentFor(events, { ...wish, least: 1 })).toEqual({ start: 1, end: 3 });
  expect(segmentFor(events, { ...wish, least: 2 })).toEqual({ start: 1, end: 4 });
  expect(segmentFor(events, { ...wish, least: 4 })).toBeUndefined();
});
