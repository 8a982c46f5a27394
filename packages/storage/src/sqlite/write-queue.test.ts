import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { toStorageError } from './errors.ts';
import { writeQueue } from './write-queue.ts';

function table(path = ':memory:'): { database: DatabaseSync; insert: (text: string) => number; count: () => unknown } {
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE IF NOT EXISTS t (text TEXT NOT NULL UNIQUE)');
  const insert = (text: string): number =>
    Number(database.prepare('INSERT INTO t VALUES (?)').run(text).lastInsertRowid);
  return { database, insert, count: () => database.prepare('SELECT count(*) AS count FROM t').get()?.['count'] };
}

test('writes that wait at the same time share a transaction', async () => {
  const { database, insert } = table();
  const queue = writeQueue(database, { busyMs: 0 });
  const states: unknown[] = [];
  const writes = ['a', 'b', 'c'].map((text) =>
    queue.write(() => {
      states.push(database.prepare('SELECT count(*) AS count FROM t').get()?.['count'], database.isTransaction);
      return insert(text);
    }),
  );
  expect(await Promise.all(writes)).toEqual([1, 2, 3]);
  expect(states).toEqual([0, true, 1, true, 2, true]);
  expect(database.isTransaction).toBe(false);
});

test('the callers of a large transaction continue in several turns of the event loop, in their order', async () => {
  const { database, insert } = table();
  let commits = 0;
  const queue = writeQueue(database, { busyMs: 0, beforeCommit: () => (commits += 1) });
  let turn = 0;
  let isDone = false;
  const nextTurn = (): void => {
    turn += 1;
    if (!isDone) setImmediate(nextTurn);
  };
  nextTurn();
  const resumed: { readonly index: number; readonly turn: number }[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      await queue.write(() => insert(`${index}`));
      resumed.push({ index, turn });
    }),
  );
  isDone = true;
  await queue.drain();
  expect(resumed.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect([...Map.groupBy(resumed, (each) => each.turn).values()].map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
  expect(commits).toBe(1);
});

test('a failed write is rolled back alone', async () => {
  const { database, insert, count } = table();
  const queue = writeQueue(database, { busyMs: 0 });
  const results = await Promise.allSettled([
    queue.write(() => insert('a')),
    queue.write(() => {
      insert('b');
      throw new Error('no');
    }),
    queue.write(() => insert('c')),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(count()).toBe(2);
});

test('a write that does not fit is full, and the other writes of its group and later ones are stored', async () => {
  const { database, insert, count } = table();
  database.exec('PRAGMA max_page_count = 20');
  const queue = writeQueue(database, { busyMs: 0 });
  const results = await Promise.allSettled([
    queue.write(() => insert('a')),
    queue.write(() => insert('x'.repeat(1_000_000))),
    queue.write(() => insert('c')),
  ]);
  const codes = results.map((result) =>
    result.status === 'rejected' ? toStorageError(result.reason, '/data/store.db') : result.value,
  );
  expect(codes).toEqual([1, expect.objectContaining({ code: 'full', isRetryable: true }), 2]);
  expect(String(codes[1])).toContain('/data/store.db');
  expect(await queue.write(() => insert('d'))).toBe(3);
  expect(count()).toBe(3);
});

test('a write waits while another connection writes, and fails after a timeout', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const [one, other] = [table(path), table(path)];
  other.database.exec('BEGIN IMMEDIATE');
  const impatient = writeQueue(one.database, { busyMs: 0 }).write(() => one.insert('a'));
  await expect(impatient).rejects.toMatchObject({ errcode: 5 });
  const patient = writeQueue(one.database, { busyMs: 10_000 }).write(() => one.insert('b'));
  other.insert('c');
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  other.database.exec('COMMIT');
  expect(await patient).toBe(2);
  one.database.close();
  other.database.close();
});

test('drain waits for all earlier writes', async () => {
  const { database, insert, count } = table();
  const queue = writeQueue(database, { busyMs: 0 });
  await queue.drain();
  const writes = Array.from({ length: 600 }, (_, index) => queue.write(() => insert(`${index}`)));
  await queue.drain();
  expect(count()).toBe(600);
  await Promise.all(writes);
});
