import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { verify } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { idsOf, newEvent } from '../testing/events.ts';
import { migrate, migrations, versionOf } from './schema.ts';
import { prepareStatements } from './statements.ts';
import { pageStatement } from './summaries.ts';

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const addColumn = 'ALTER TABLE event ADD COLUMN extra TEXT;';

/** Statements of the schema, with white space normalised. */
function schema(database: DatabaseSync): readonly string[] {
  const rows = database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  return rows.map(({ name, sql }) => `${String(name)}: ${String(sql).replaceAll(/\s+/g, ' ')}`);
}

async function versionOne(path: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(path);
  database.exec(await readFile(join(import.meta.dirname, 'golden', 'schema-1.sql'), 'utf8'));
  return database;
}

test('a database of version 1 is read and continued', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  (await versionOne(path)).close();
  await using store = await sqliteStore({ path, now: () => 1_750_000_020_000 });
  await expect(store.open('held')).rejects.toMatchObject({
    message: expect.stringContaining('process 17 on elsewhere'),
  });
  await using log = await store.open('free');
  expect(await store.summary('free')).toMatchObject({
    createdAt: 1_750_000_000_000,
    head: 2,
    meta: { title: 'Fix é' },
  });
  expect(await Array.fromAsync(log.range(0))).toEqual([
    { seq: 0, id: 'a', kind: 'SystemPromptEvent', parentId: undefined, text: '{ "kind" : "SystemPromptEvent" }' },
    { seq: 1, id: 'b', kind: 'MessageEvent', parentId: 'a', text: '{"text":"é"}' },
  ]);
  expect(await log.snapshots.latest('view@1')).toEqual({ seq: 2, state: { ids: ['a', 'b'] } });
  expect([log.epoch, await log.append([newEvent('c')])]).toEqual([4, [2]]);
});

test('a database that another process creates between any two statements is one of this store', async () => {
  for (const at of [1, 2, 3]) {
    await using directory = await temporary();
    const path = join(directory.path, 'store.db');
    using database = new DatabaseSync(path);
    let count = 0;
    const prepare = (sql: string) => {
      count += 1;
      using other = new DatabaseSync(path);
      if (count === at) migrate(other, path, migrations);
      return database.prepare(sql);
    };
    expect([0, migrations.length]).toContain(versionOf({ prepare }, path, migrations));
  }
});

test('long texts of version 2 stay unsplit, alongside new ones that are split', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const [old, fresh] = [newEvent('a', { note: 'x'.repeat(50_000) }), newEvent('b', { note: 'x'.repeat(50_000) })];
  const database = new DatabaseSync(path);
  migrate(database, path, migrations.slice(0, 2));
  database.exec(
    "INSERT INTO conversation (key, id, created_at, updated_at, head, lease_epoch) VALUES (1, 'c', 0, 0, 1, 0)",
  );
  database.exec("INSERT INTO meta VALUES (1, '{}')");
  database
    .prepare('INSERT INTO event (conversation, seq, id, kind, text) VALUES (1, 0, ?, ?, ?)')
    .run(old.id, old.kind, old.text);
  database.close();
  await using store = await sqliteStore({ path });
  await using log = await store.open('c');
  expect(await log.append([old, fresh])).toEqual([0, 1]);
  expect((await Array.fromAsync(log.range(0))).map(({ text }) => text)).toEqual([old.text, fresh.text]);
  expect((await verify(log)).sealed).toBe(2);
});

test('opening searches no rows of events for one without a seal', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, 'a.db', migrations);
  const { firstUnsealed, eventCount } = prepareStatements(database);
  for (const { sourceSQL } of [firstUnsealed, eventCount]) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`).all(1);
    expect(plan.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/INDEX event_without_seal|COVERING INDEX/),
    ]);
  }
});

test('conversations are listed in the order of an index, and those of a rare status are found by its index', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, 'a.db', migrations);
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1002)
    INSERT INTO conversation (id, created_at, updated_at, head, lease_epoch) SELECT i, i, i, 0, 0 FROM n;
    INSERT INTO meta SELECT key, json_object('status', iif(key = 1, 'running', 'idle')) FROM conversation`);
  const statements = prepareStatements(database);
  const planOf = ({ sourceSQL }: StatementSync): string => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sourceSQL}`).all();
    return plan.map(({ detail }) => String(detail)).join('\n');
  };
  for (const direction of ['ascending', 'descending'] as const) {
    for (const orderBy of ['createdAt', 'updatedAt'] as const) {
      const index = orderBy === 'createdAt' ? 'conversation_by_creation' : 'conversation_by_update';
      for (const statuses of [undefined, ['idle', 'error']]) {
        const plan = planOf(pageStatement(statements, { orderBy, direction, statuses }));
        expect(plan).toContain(`SEARCH conversation USING INDEX ${index}`);
        expect(plan).not.toContain('FOR ORDER BY');
      }
      const rare = planOf(pageStatement(statements, { orderBy, direction, statuses: ['running'] }));
      expect(rare).toContain('INDEX meta_by_status');
    }
  }
  expect(planOf(statements.countStatuses)).toContain('INDEX meta_by_status');
});

test('the first migration creates the schema of version 1', async () => {
  const made = new DatabaseSync(':memory:');
  migrate(made, 'a.db', migrations.slice(0, 1));
  const written = schema(await versionOne(':memory:'));
  expect(schema(made)).toEqual(written);
});

test('another migration runs once, keeps the data, and makes older versions reject the file', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const store = await sqliteStore({ path });
  await (await store.create('c', {})).append([newEvent('a')]);
  await store[Symbol.asyncDispose]();

  const database = new DatabaseSync(path);
  migrate(database, path, [...migrations, addColumn]);
  migrate(database, path, [...migrations, addColumn]);
  expect(database.prepare('SELECT id, extra FROM event').all()).toEqual([{ id: 'a', extra: null }]);
  database.close();
  const version = migrations.length + 1;
  await expect(sqliteStore({ path })).rejects.toMatchObject({
    code: 'invalid',
    message: `${path} has schema ${version}, newer than the ${version - 1} known here.`,
  });
});

test('a failed migration leaves the previous version', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, 'a.db', migrations);
  const before = schema(database);
  expect(() => migrate(database, 'a.db', [...migrations, `${addColumn} SELECT * FROM nowhere;`])).toThrow('nowhere');
  expect(schema(database)).toEqual(before);
  migrate(database, 'a.db', migrations);
});

test('a migration of several steps is done as a whole or not at all', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, 'a.db', migrations.slice(0, 2));
  expect(() => migrate(database, 'a.db', [...migrations, 'SELECT * FROM nowhere'])).toThrow('nowhere');
  expect(versionOf(database, 'a.db', migrations)).toBe(2);
});

test('a database of another application is rejected and not changed', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'other.db');
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE conversation (id)');
  const before = await readFile(path);
  await expect(sqliteStore({ path })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(path),
  });
  other.close();
  expect(await readFile(path)).toEqual(before);
});

test('many handles that open a new file concurrently migrate it once', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const stores = await Promise.all(Array.from({ length: 8 }, async () => sqliteStore({ path })));
  for (const [index, store] of stores.entries()) await store.create(`c${index}`, index);
  expect((await stores[0]?.list())?.items).toHaveLength(8);
  for (const store of stores) await store[Symbol.asyncDispose]();
  const reopened = await sqliteStore({ path });
  expect(await idsOf((await reopened.read('c0')).range(0))).toEqual([]);
  await reopened[Symbol.asyncDispose]();
});
