import { mkdtempDisposable, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { child } from '../child.ts';
import { newEvent } from '../../src/testing/events.ts';

/** Makes the two header copies in the index of a write-ahead log differ, as during a write of one of them. */
async function tear(path: string): Promise<void> {
  await using index = await open(`${path}-shm`, 'r+');
  await index.write(Buffer.alloc(8, 0xff), 0, 8, 8);
}

// SQLite itself retries for ten seconds.
test('a process stopped while it writes the index of the write-ahead log is waited for like a lock', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, busyMs: 0 });
  const log = await store.create('c', {});
  await log.append([newEvent('a')]);
  await using stopped = child(`
    import { DatabaseSync } from 'node:sqlite';
    const database = new DatabaseSync(${JSON.stringify(path)});
    database.exec('BEGIN IMMEDIATE');
    console.log('holds');
    setInterval(() => {}, 1000);`);
  expect(await stopped.line()).toBe('holds');
  await tear(path);
  const message: unknown = expect.stringMatching(/store\.db stayed locked by (process \d+|another process)\.$/);
  await expect(log.head()).rejects.toMatchObject({ code: 'io', message, cause: { errcode: 15 } });
  await stopped.kill();
  expect(await log.head()).toBe(1);
  expect(await log.append([newEvent('b')])).toEqual([1]);
});
