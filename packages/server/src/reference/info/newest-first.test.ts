import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { memoryStore } from '@varve/storage';
import { rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { newestFirst } from './newest-first.ts';

test.for([0, 1, 127, 128, 129, 300])('the first %i events are yielded once each, newest first', async (end) => {
  const { user } = eventFactory();
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  await log.append(rowsOf(Array.from({ length: 301 }, () => user('Hi.'))));
  const seqs = (await Array.fromAsync(newestFirst(log, end))).map(({ seq }) => seq);
  expect(seqs).toEqual(Array.from({ length: end }, (_, index) => end - 1 - index));
});
