import { describe, expect, test } from 'vitest';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem, runSql } from './server.ts';

describe.skipIf(problem !== undefined)('the schema', () => {
  test('is created once by stores that open it at the same time', async () => {
    const url = await freshUrl();
    const stores = await Promise.all(Array.from({ length: 6 }, async () => postgresStore({ url })));
    await (await stores[0]?.create('c', {}))?.[Symbol.asyncDispose]();
    for (const store of stores) expect((await store.list()).items).toHaveLength(1);
    await Promise.all(stores.map(async (store) => store[Symbol.asyncDispose]()));
  });

  test.for([
    ['of another application', 'CREATE TABLE "S".other (a integer)', 'has tables of another application'],
    ['with a table of the same name', 'CREATE TABLE "S".migration (a integer)', 'has tables of another application'],
    [
      'of a newer version',
      'CREATE TABLE "S".migration (version integer); INSERT INTO "S".migration VALUES (99)',
      'has schema version 99, newer than',
    ],
  ] as const)('%s is refused and not changed', async ([, sql, message]) => {
    const url = await freshUrl();
    const schema = new URL(url).searchParams.get('schema') ?? '';
    await runSql(url, `CREATE SCHEMA "${schema}"; ${sql.replaceAll('"S"', `"${schema}"`)}`);
    const error = { code: 'invalid', message: expect.stringContaining(message) };
    await expect(postgresStore({ url })).rejects.toMatchObject(error);
    await expect(postgresStore({ url })).rejects.toMatchObject(error);
  });

  test('with a name that SQL has to quote is used', async () => {
    const url = `${(await freshUrl()).replace(/\?.*/, '')}?schema=${encodeURIComponent(`a"b';c ${process.pid}`)}`;
    await using store = await postgresStore({ url });
    await store.create('c', {});
    expect((await store.summary('c')).head).toBe(0);
  });
});
