import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, deflateRawSync } from 'node:zlib';
import type { LogReader } from '@varve/storage';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { newEvents } from '../testing/events.ts';

const state = Array.from({ length: 1000 }, (_, index) => ({ id: `event ${index}`, text: 'the same words again' }));

/** Creates a store with a snapshot, and opens its database. */
async function saved() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append(newEvents(0, 3));
  await log.snapshots.save('view', { seq: 3, state });
  const database = new DatabaseSync(path);
  return {
    store,
    log,
    database,
    async [Symbol.asyncDispose]() {
      database.close();
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('a snapshot takes a fraction of its text, and is read and listed as it was saved', async () => {
  await using opened = await saved();
  const { log, database } = opened;
  const { bytes } = database.prepare('SELECT length(state) AS bytes FROM snapshot').get() ?? {};
  expect(Number(bytes)).toBeLessThan(JSON.stringify(state).length / 5);
  expect(await log.snapshots.latest('view')).toEqual({ seq: 3, state });
  const listed = await Array.fromAsync(log.proof?.snapshots?.() ?? []);
  expect(listed).toEqual([{ name: 'view', seq: 3, text: JSON.stringify(state) }]);
});

test.for([
  ['of an earlier version is read', '{"a":1}', { seq: 3, state: { a: 1 } }],
  ['that is damaged is missing', 'AAAA', undefined],
] as const)('a snapshot %s', async ([, column, found]) => {
  await using opened = await saved();
  opened.database.prepare('UPDATE snapshot SET state = ?').run(column);
  expect(await opened.log.snapshots.latest('view')).toEqual(found);
});

const part = (text: string) => deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });

test.for([
  [1, { seq: 3, state: {} }],
  [128, undefined],
] as const)('a snapshot with %i MiB of spaces is read only within the limit', async ([count, found]) => {
  await using opened = await saved();
  const spaces = Array<Buffer>(count).fill(part(' '.repeat(2 ** 20)));
  const column = Buffer.concat([part('{'), ...spaces, deflateRawSync('}')]).toString('base64');
  opened.database.prepare('UPDATE snapshot SET state = ?').run(column);
  expect(await opened.log.snapshots.latest('view')).toEqual(found);
});

test('a snapshot that is longer than the limit is not stored', async () => {
  await using opened = await saved();
  await opened.log.snapshots.save('long', { seq: 3, state: 'x'.repeat(2 ** 27) });
  expect(opened.database.prepare('SELECT name FROM snapshot').all()).toEqual([{ name: 'view' }]);
});

const save = async (reader: LogReader, seq: number) => reader.snapshots?.save('fold', { seq, state: seq });

test('a reader saves a fold while the lease is free, and none of texts that a holder may have replaced since', async () => {
  await using opened = await saved();
  const { store, log } = opened;
  await save(await store.read('c'), 1);
  await log[Symbol.asyncDispose]();
  const early = await store.read('c');
  await save(early, 2);
  await using held = await store.open('c');
  const late = await store.read('c');
  await held[Symbol.asyncDispose]();
  for (const reader of [early, late]) await save(reader, 3);
  expect(await early.snapshots?.latest('fold')).toEqual({ seq: 2, state: 2 });
  expect(await early.snapshots?.latest('fold', 1)).toBeUndefined();
});
