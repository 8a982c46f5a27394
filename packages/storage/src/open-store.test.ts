import { memoryStore, openStore } from '@varve/storage';
import { expect, test } from 'vitest';

test('a URL names a store by its scheme', async () => {
  await using store = await openStore('memory:');
  expect(await store.list()).toEqual({ items: [] });
  const opened: string[] = [];
  await openStore('mine:a:b/c', {
    mine: async (rest) => {
      opened.push(rest);
      return memoryStore();
    },
  });
  expect(opened).toEqual(['a:b/c']);
});

test('a URL with an unknown scheme is invalid', async () => {
  for (const url of ['', 'memory', ':', 'sqlite:/tmp/a.db', 'toString:x', '__proto__:x']) {
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('memory:'),
    });
  }
});
