import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, countRows, countUpdates, freshUrl, problem, runSql } from './server.ts';
import { upgrade } from './upgrade.ts';

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

  test('of the next version is used by stores that were open before, and by new ones', async () => {
    const url = await freshUrl();
    await using before = await postgresStore({ url });
    const useIt = async (store: typeof before, id: string) => {
      await using log = await store.create(id, {});
      await log.append([newEvent('a', { note: 'x'.repeat(50_000) }), newEvent('b')], { meta: { title: 'x' } });
      await log.snapshots.save('view', { seq: 2, state: 1 });
      await log.proof?.cut(1);
      expect(await Array.fromAsync((await store.read(id)).range(0))).toHaveLength(1);
      expect((await store.list()).items[0]).toMatchObject({ id });
      await store.replicas?.records.write('record', 'text');
      expect(await store.replicas?.addressOf(id)).toBeUndefined();
    };
    const held = await before.create('held', {});
    await useIt(before, 'first');
    await upgrade(url, 1);
    await held.append([newEvent('c')]);
    await useIt(before, 'second');
    const statistics = await countRows(
      url,
      `pg_stats WHERE schemaname = current_schema AND tablename = 'meta_by_status'`,
    );
    expect(statistics).toBe(1);
    await using after = await postgresStore({ url });
    await useIt(after, 'third');
    expect((await after.list()).items).toHaveLength(4);
  });

  test('is migrated once although a conversation is being opened', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    await (await store.create('c', {}))[Symbol.asyncDispose]();
    await using opening = await connectedClient(url);
    await opening.query(`BEGIN; SELECT 1 FROM conversation WHERE id = 'c' FOR UPDATE`);
    let runs = 0;
    const upgraded = upgrade(url, 1, (s) => {
      runs += 1;
      return `CREATE INDEX ON ${s}.conversation (head); ALTER TABLE ${s}.conversation ADD COLUMN last integer`;
    });
    const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'conversation'::regclass AND NOT granted`;
    await expect.poll(async () => (await opening.query(waiting)).rowCount).toBe(1);
    await opening.query(`UPDATE conversation SET lease_epoch = lease_epoch + 1; COMMIT`);
    await upgraded;
    expect(runs).toBe(1);
  });

  test('that is in use is not migrated by more than one step', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const log = await store.create('c', {});
    const error = { code: 'invalid', message: expect.stringContaining('is in use by processes that cannot use') };
    await expect(upgrade(url, 2)).rejects.toMatchObject(error);
    await log.append([newEvent('a')]);
    await log[Symbol.asyncDispose]();
    await upgrade(url, 2);
    await expect(postgresStore({ url })).rejects.toMatchObject({ code: 'invalid' });
  });

  test('accepts any text as the meta of a conversation', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const log = await store.create('c', {});
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const text of [
      '{',
      '',
      deep,
      `{"status":"${'x'.repeat(100_000)}"}`,
      String.raw`{"status":"a\ud800\\u0000"}`,
    ]) {
      await using client = await connectedClient(url);
      await client.query('UPDATE meta SET json = $1', [text]);
      expect(await store.count({ statuses: ['', 'x'.repeat(100), String.raw`a\u0000`] })).toBe(1);
    }
    await log.append([], { meta: { status: 'idle' } });
    expect(await store.count({ statuses: ['idle'] })).toBe(1);
  });

  test.for([
    ['descending', ['c5', 'c4', 'c3', 'c2', 'c1', 'c0', 'c6']],
    ['ascending', ['c6', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5']],
  ] as const)(
    'lists by the exact time of change, with pages that end within a minute, %s',
    async ([direction, ids]) => {
      const url = await freshUrl();
      await using store = await postgresStore({ url });
      for (const [n, time] of [59_999, 60_000, 60_001, 60_001, 119_999, 120_000, 0].entries()) {
        await (await store.create(`c${n}`, {}))[Symbol.asyncDispose]();
        await runSql(url, `UPDATE conversation SET updated_at = ${time} WHERE id = 'c${n}'`);
      }
      const listed: string[] = [];
      let next: string | undefined;
      do {
        const page = await store.list({ limit: 1, direction, ...(next !== undefined && { after: next }) });
        listed.push(...page.items.map(({ id }) => id));
        ({ next } = page);
      } while (next !== undefined);
      expect(listed).toEqual(ids);
    },
  );

  test('is changed by appends without its indexes of conversations', async () => {
    const url = await freshUrl();
    const store = await postgresStore({ url });
    const log = await store.create('c', {});
    for (let n = 0; n < 200; n += 1) await log.append([newEvent(`e${n}`)]);
    await store[Symbol.asyncDispose]();
    await expect.poll(async () => (await countUpdates(url)).all).toBe(202);
    // The lease is taken and released, and a minute may end.
    expect((await countUpdates(url)).indexed).toBeLessThanOrEqual(3);
  });

  test('with a name that SQL has to quote is used', async () => {
    const url = `${(await freshUrl()).replace(/\?.*/, '')}?schema=${encodeURIComponent(`a"b';c ${process.pid}`)}`;
    await using store = await postgresStore({ url });
    await store.create('c', {});
    expect((await store.summary('c')).head).toBe(0);
  });
});
