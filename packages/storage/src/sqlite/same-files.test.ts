import { copyFile, mkdtempDisposable, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { newEvent, newEvents } from '../testing/events.ts';

const changes: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'whose database was removed': async (path) => rm(path),
  'whose write-ahead log was removed': async (path) => rm(`${path}-wal`),
  'of which all files were removed': async (path) => {
    for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`);
  },
  'whose database was moved': async (path) => rename(path, `${path}.old`),
  'whose database was replaced by a backup': async (path) => {
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
  },
  'whose directory was moved': async (path) => rename(join(path, '..'), join(path, '..', '..', 'moved')),
};

test.for(Object.keys(changes))('a store %s acknowledges nothing more', async (name) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'home', 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  const other = await store.create('d', {});
  await log.append(newEvents(0, 3));
  await changes[name]?.(path);
  const refusal = { code: 'io', message: expect.stringContaining('was moved, replaced or removed while it was open') };
  // Together in one transaction, and alone.
  const writes = [log.append([newEvent('e')]), other.append([newEvent('f')]), store.create('g', {})];
  for (const { status, ...rest } of await Promise.allSettled(writes)) {
    expect([status, rest]).toMatchObject(['rejected', { reason: refusal }]);
  }
  await expect(log.append([newEvent('h')])).rejects.toMatchObject(refusal);
  expect(await log.head()).toBe(3);
});

test('the last of several connections that close, and the next that opens, change no file in use', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  const first = await sqliteStore({ path });
  await (await first.create('c', {}))[Symbol.asyncDispose]();
  for (let round = 0; round < 5; round += 1) {
    const second = await sqliteStore({ path });
    const log = await second.open('c');
    await log.append([newEvent(`e${round}`)]);
    await log[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    const opened = await first.open('c');
    await opened.append([newEvent(`f${round}`)]);
    await opened[Symbol.asyncDispose]();
  }
  await first[Symbol.asyncDispose]();
  await using last = await sqliteStore({ path });
  expect(await last.summary('c')).toMatchObject({ head: 10 });
});
