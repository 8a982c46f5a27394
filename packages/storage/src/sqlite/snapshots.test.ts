import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
