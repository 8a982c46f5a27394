import { expect, test } from 'vitest';
import { memoryStore } from '../memory/memory-store.ts';
import { newEvent } from '../testing/events.ts';
import { allSummaries } from './listing.ts';

test('a conversation that changes between two pages is among all conversations', async () => {
  let time = 0;
  await using store = memoryStore({ now: () => (time += 1) });
  const first = await store.create('first', {});
  for (let n = 0; n < 1000; n += 1) await store.create(`c${n}`, {});
  const summaries = await allSummaries({
    list: async (query) => {
      const page = await store.list(query);
      await first.append([newEvent(`e${time}`)]);
      return page;
    },
  });
  expect(summaries.map(({ id }) => id)).toContain('first');
  expect(summaries).toHaveLength(1001);
});
