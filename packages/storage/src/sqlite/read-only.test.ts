import { readFileSync } from 'node:fs';
import { copyFile, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { openReadOnly } from './database.ts';

/** Returns the path of a database with one event, closed by its last process. */
async function closedStore(directory: string): Promise<string> {
  const path = join(directory, 'a ?#%.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', { title: 'kept' });
  await log.append([{ id: 'e', kind: 'MessageEvent', parentId: undefined, text: '{"id":"e","kind":"MessageEvent"}' }]);
  return path;
}

test('a database is read without writing a file, and cannot be changed', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = await closedStore(directory.path);
  const bytes = readFileSync(path);
  const database = openReadOnly(path);
  expect(database.prepare('SELECT id FROM event').all()).toMatchObject([{ id: 'e' }]);
  expect(() => database.exec('DELETE FROM event')).toThrow('readonly');
  database.close();
  expect(await readdir(directory.path)).toEqual(['a ?#%.db']);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('commits that are not written back are reported instead of omitted', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = await closedStore(directory.path);
  await writeFile(`${path}-wal`, 'x');
  expect(() => openReadOnly(path)).toThrow('has commits that are not written back');
});

test('an older or a newer schema is reported', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = await closedStore(directory.path);
  for (const [version, message] of [
    [1, 'its schema 1 must be updated'],
    [99, 'has schema 99, newer than'],
  ] as const) {
    const copy = join(directory.path, `${version}.db`);
    await copyFile(path, copy);
    const database = new DatabaseSync(copy);
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
    expect(() => openReadOnly(copy)).toThrow(message);
  }
});
