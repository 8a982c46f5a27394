import { randomUUID } from 'node:crypto';
import { text } from '@varve/events';
import { expect, test, vi } from 'vitest';
import { ChatLog } from './chat-log.ts';

const at = { place: 'line 1', time: '2026-01-01T00:00:00Z' };

/** Counts the look-ups of ids while a log of this length forgets its messages one by one, the last one first. */
function lookUpsOf(length: number): number {
  const log = new ChatLog(randomUUID);
  const ids = Array.from({ length }, () => log.addMessage('user', [text('x')], at)[0]?.id ?? '');
  using has = vi.spyOn(Set.prototype, 'has');
  using remove = vi.spyOn(Set.prototype, 'delete');
  for (const id of ids.toReversed()) log.forget([id], at);
  expect(log.shownIds).toEqual([]);
  return has.mock.calls.length + remove.mock.calls.length;
}

test('the cost of forgetting every message of a log is linear', () => {
  expect(lookUpsOf(200)).toBeLessThan(3 * lookUpsOf(100));
});

test('only what is in view is forgotten, and once', () => {
  const log = new ChatLog(randomUUID);
  const [a = '', b = '', c = ''] = Array.from({ length: 3 }, () => log.addMessage('user', [text('x')], at)[0]?.id);
  expect(log.forget([b, b, randomUUID(), c], at)).toMatchObject([{ forgotten_event_ids: [b, c] }]);
  expect(log.forget([b], at)).toEqual([]);
  expect(log.shownIds).toEqual([a]);
});
