import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ed25519Signer, verify } from '@varve/storage';
import { backupSqlite, sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { child } from '../../test/child.ts';
import { newEvent, newEvents } from '../testing/events.ts';

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const signer = ed25519Signer(new Uint8Array(32).fill(1));

test('a copy is a store with all data and without leases', async () => {
  await using directory = await temporary();
  const [path, to] = [join(directory.path, 'store.db'), join(directory.path, 'deep', 'copy.db')];
  await using store = await sqliteStore({ path });
  const log = await store.create('c', { title: 'é' });
  await log.append(newEvents(0, 5), { signer });
  await log.snapshots.save('view', { seq: 5, state: 5 });
  await backupSqlite({ path, to });
  await log.append([newEvent('after')]);

  await using copy = await sqliteStore({ path: to, holder: { host: 'elsewhere', pid: 1, boot: '' } });
  const opened = await copy.open('c');
  expect(await Array.fromAsync(opened.range(0))).toEqual(await Array.fromAsync(log.range(0, 5)));
  expect([(await copy.summary('c')).meta, opened.epoch]).toEqual([{ title: 'é' }, 2]);
  expect(await opened.snapshots.latest('view')).toEqual({ seq: 5, state: 5 });
  const verdict = await verify(opened, { trusted: [signer.did] });
  expect([verdict.broken, verdict.signedEvents]).toEqual([undefined, 5]);
  await opened.append([newEvent('other')]);
  expect(await log.head()).toBe(6);
  expect((await stat(to)).mode & 0o777).toBe(0o600);
  expect((await readdir(join(directory.path, 'deep'))).filter((name) => !name.startsWith('copy.db'))).toEqual([]);
});

test('a store is copied while another process writes it, and every log in the copy is whole', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using writer = child(`
    const { sqliteStore } = await import('@varve/storage/sqlite');
    const store = await sqliteStore({ path: ${JSON.stringify(path)} });
    const log = await store.create('c', {});
    for (let n = 0; ; n += 3) {
      await log.append([n, n + 1, n + 2].map((n) => ({ id: 'e' + n, kind: 'K', text: JSON.stringify({ id: 'e' + n, kind: 'K' }) })));
      console.log(n + 3);
    }`);
  for (let copy = 0; copy < 5; copy += 1) {
    const acknowledged = Number(await writer.line());
    const to = join(directory.path, `copy-${copy}.db`);
    await backupSqlite({ path, to });
    await using store = await sqliteStore({ path: to });
    const { broken, head, sealed } = await verify(await store.read('c'));
    expect([broken, sealed, head % 3, head >= acknowledged]).toEqual([undefined, head, 0, true]);
  }
});

test('an existing target, a missing source and a foreign database are rejected, and no file is left', async () => {
  await using directory = await temporary();
  const [path, to] = [join(directory.path, 'store.db'), join(directory.path, 'copy.db')];
  await expect(backupSqlite({ path, to })).rejects.toMatchObject({ code: 'missing' });
  await (await sqliteStore({ path }))[Symbol.asyncDispose]();
  await writeFile(to, 'mine');
  await expect(backupSqlite({ path, to })).rejects.toMatchObject({ code: 'exists' });
  expect(await readFile(to, 'utf8')).toBe('mine');

  const other = join(directory.path, 'other.db');
  const database = new DatabaseSync(other);
  database.exec('CREATE TABLE conversation (id)');
  database.close();
  await expect(backupSqlite({ path: other, to: `${to}.2` })).rejects.toMatchObject({ code: 'invalid' });
  await writeFile(other, 'no database at all, but a text that is long enough to be looked at '.repeat(20));
  await expect(backupSqlite({ path: other, to: `${to}.2` })).rejects.toMatchObject({ code: 'corrupt' });
  expect((await readdir(directory.path)).toSorted()).toEqual(['copy.db', 'other.db', 'store.db']);
});

test('deleted events are not in a copy', async () => {
  await using directory = await temporary();
  const [path, to] = [join(directory.path, 'store.db'), join(directory.path, 'copy.db')];
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: 'sk-0123456789' })]);
  await log[Symbol.asyncDispose]();
  await store.remove('c');
  await backupSqlite({ path, to });
  expect(await readFile(to, 'latin1')).not.toContain('sk-0123456789');
});
