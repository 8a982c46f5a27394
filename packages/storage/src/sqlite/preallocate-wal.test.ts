import { copyFile, mkdtempDisposable, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verify } from '@varve/storage/proof';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { thisProcess } from '../kit/holder.ts';
import { idsOf, newEvent } from '../testing/events.ts';
import { preallocateWal } from './preallocate-wal.ts';

const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

test('a write-ahead log is extended once, and after a crash contains the acknowledged events only', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, holder: dead });
  const log = await store.create('c', {});
  const lengths: number[] = [];
  for (let n = 0; n < 40; n += 1) {
    await log.append([newEvent(`e${n}`)]);
    lengths.push((await stat(`${path}-wal`)).size);
  }
  expect(lengths[10]).toBeLessThan(1_000_000);
  expect(lengths[20]).toBeGreaterThan(4_000_000);
  expect(lengths[39]).toBe(lengths[20]);
  expect((await stat(path)).size).toBeLessThan(1_000_000);

  const crashed = join(directory.path, 'crashed.db');
  await copyFile(path, crashed);
  await copyFile(`${path}-wal`, `${crashed}-wal`);
  await using again = await sqliteStore({ path: crashed });
  const found = await again.open('c');
  expect(await idsOf(found.range(0))).toEqual(Array.from({ length: 40 }, (_, n) => `e${n}`));
  const { broken, sealed } = await verify(found);
  expect([broken, sealed]).toEqual([undefined, 40]);
  expect(await found.append([newEvent('more')])).toEqual([40]);
});

test('a store with buffered durability does not extend the log', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, durability: 'buffered' });
  const log = await store.create('c', {});
  for (let n = 0; n < 20; n += 1) await log.append([newEvent(`e${n}`)]);
  expect((await stat(`${path}-wal`)).size).toBeLessThan(2_000_000);
});

test('writes continue when another writer prevents the extension', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const stores = await Promise.all([sqliteStore({ path }), sqliteStore({ path })]);
  const logs = await Promise.all(stores.map(async (store, index) => store.create(`c${index}`, {})));
  await Promise.all(
    logs.map(async (log) => {
      for (let n = 0; n < 24; n += 1) await log.append([newEvent(`e${n}`)]);
    }),
  );
  expect(await Promise.all(logs.map(async (log) => log.head()))).toEqual([24, 24]);
  for (const store of stores) await store[Symbol.asyncDispose]();
});

test('a failed extension changes nothing', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (text); PRAGMA max_page_count = 20');
  const settings = () => ['cache_size', 'max_page_count'].map((name) => database.prepare(`PRAGMA ${name}`).get());
  const before = settings();
  const onCommit = preallocateWal(database, path);
  for (let n = 0; n < 20; n += 1) {
    database.exec("INSERT INTO t VALUES ('a')");
    onCommit();
  }
  expect([database.isTransaction, settings()]).toEqual([false, before]);
  expect(database.prepare('SELECT count(*) AS count FROM t').get()?.['count']).toBe(20);
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name <> 't'").all()).toEqual([]);
  expect((await stat(`${path}-wal`)).size).toBeLessThan(1_000_000);
  database.close();
});

test('a closed database does not stop the writes', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const database = new DatabaseSync(path);
  const onCommit = preallocateWal(database, path);
  database.close();
  expect(() => {
    for (let n = 0; n < 20; n += 1) onCommit();
  }).not.toThrow();
});
