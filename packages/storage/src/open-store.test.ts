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

test('an error does not contain the password of a URL', async () => {
  for (const url of ['postgre://me:s3cret@host/d', 'memory://me:s3cret@host/\0']) {
    const error = await openStore(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid' });
    expect(String(error)).not.toContain('s3cret');
  }
});

test('a URL that no file system can store is invalid, whatever its scheme', async () => {
  const schemes = { mine: async () => memoryStore() };
  for (const url of ['memory:\0', 'mine:/a\0b']) {
    await expect(openStore(url, schemes)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('contains U+0000'),
    });
  }
});
