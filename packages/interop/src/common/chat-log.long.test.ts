import { randomUUID } from 'node:crypto';
import { text } from '@varve/events';
import { expect, test } from 'vitest';
import { ChatLog } from './chat-log.ts';

const at = { place: 'line 1', time: '2026-01-01T00:00:00Z' };

// More than the arguments that a call of a function can have, in one view of a model.
test('a log of 130,000 messages is forgotten and summarized', () => {
  const log = new ChatLog(randomUUID);
  const all = Array.from({ length: 130_000 }, () => log.addMessage('user', [text('x')], at)[0]?.id ?? '');
  log.forget(all.slice(0, 5), at);
  expect(log.shownIds).toHaveLength(all.length - 5);
  log.addSummary('Much was said.', at, all.slice(5, 10));
  expect(log.shownIds).toHaveLength(all.length - 9);
});
