import { chmod, mkdir, mkdtempDisposable, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, verify } from '@varve/storage';
import { sqliteScheme, sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { child } from '../../test/child.ts';
import { idsOf, newEvent } from '../testing/events.ts';
import { toStorageError } from './errors.ts';

async function temporary() {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  // The other user of the tests below needs access to it.
  await chmod(directory.path, 0o755);
  return directory;
}

/** Error of opening the store as a user other than root, in a process with few file descriptors. */
async function openingAsNobody(path: string, before = ''): Promise<unknown> {
  await using opener = child(`
    import { openSync } from 'node:fs';
    import { sqliteStore } from '@varve/storage/sqlite';
    if (process.getuid() === 0) {
      process.setgid(65534);
      process.setuid(65534);
    }
    ${before}
    const open = () => sqliteStore({ path: ${JSON.stringify(path)} });
    const failed = await open().then((store) => store.create('d', {})).then(() => ({}), (error) => error);
    console.log(JSON.stringify({ name: failed.name, code: failed.code, message: failed.message }));
    process.exit();`);
  return JSON.parse(await opener.line());
}

test('a directory that is not writable is named', async () => {
  await using directory = await temporary();
  const locked = join(directory.path, 'locked');
  await mkdir(locked, { mode: 0o555 });
  const message = (path: string): string => `The directory ${locked} is not writable, so ${path} cannot be used.`;
  for (const path of [join(locked, 'store.db'), join(locked, 'deep', 'down', 'store.db')]) {
    expect(await openingAsNobody(path)).toEqual({ name: 'StorageError', code: 'io', message: message(path) });
  }
});

test('a database in a directory that became read-only is named with it', async () => {
  await using directory = await temporary();
  const locked = join(directory.path, 'locked');
  const path = join(locked, 'store.db');
  const store = await sqliteStore({ path });
  await store.create('c', {});
  await store[Symbol.asyncDispose]();
  await chmod(path, 0o666);
  await chmod(locked, 0o555);
  const message = `The directory ${locked} is not writable, so ${path} cannot be used.`;
  expect(await openingAsNobody(path)).toEqual({ name: 'StorageError', code: 'io', message });
});

test('a failed write is no full disk if other files can grow, and looking for that leaves no file', async () => {
  await using directory = await temporary();
  const error = Object.assign(new Error('disk I/O error'), { errcode: 778 });
  expect(toStorageError(error, join(directory.path, 'store.db'))).toMatchObject({ code: 'io' });
  expect(await readdir(directory.path)).toEqual([]);
});

test.for([13, 4874])('the code %i of SQLite, as on a full disk, names the missing space', (errcode) => {
  const error = Object.assign(new Error('disk I/O error'), { errcode });
  expect(toStorageError(error, '/a/store.db')).toMatchObject({
    code: 'full',
    message: 'There is no space left for /a/store.db.',
  });
});

test('a database that is not writable is named', async () => {
  await using directory = await temporary();
  await chmod(directory.path, 0o777);
  const path = join(directory.path, 'store.db');
  await writeFile(path, '', { mode: 0o444 });
  const expected = { name: 'StorageError', code: 'io', message: `${path} is not writable.` };
  expect(await openingAsNobody(path)).toEqual(expected);
});

test('too many open files are distinguished from other failures', async () => {
  await using directory = await temporary();
  await chmod(directory.path, 0o777);
  const path = join(directory.path, 'store.db');
  const message = `${path} cannot be opened because this process has too many files open.`;
  const exhaust = `try { for (;;) openSync('/dev/null'); } catch {}`;
  expect(await openingAsNobody(path, exhaust)).toEqual({ name: 'StorageError', code: 'io', message });
});

const isPosix = process.platform !== 'win32';

test.runIf(isPosix)(
  'an append that the disk rejects fails, and everything acknowledged before remains stored',
  async () => {
    await using directory = await temporary();
    const path = join(directory.path, 'store.db');
    const source = `
    import { sqliteStore } from '@varve/storage/sqlite';
    const store = await sqliteStore({ path: ${JSON.stringify(path)} });
    const log = await store.create('c', {});
    const append = (n) => log.append([{ id: 'e' + n, kind: 'K', text: JSON.stringify('e' + n).padEnd(10_000) }]);
    let failed;
    for (let n = 0; n < 100 && !failed; n += 1) await append(n).catch((error) => (failed = error));
    const head = await log.head();
    const again = await append(head).catch((error) => error);
    console.log(JSON.stringify({ head, code: failed?.code, message: failed?.message, again: again.code }));
    process.stdin.resume();`;
    // Files are limited to 400 blocks: writing past them fails, for a reason other than lack of space.
    await using writer = child(source, 'ulimit -f 400');
    const { head, ...failure } = JSON.parse(await writer.line());
    expect(failure).toEqual({ code: 'io', message: `Reading or writing ${path} failed.`, again: 'io' });
    expect(head).toBeGreaterThan(0);
    await writer.kill();
    await using store = await sqliteStore({ path });
    const log = await store.open('c');
    expect(await idsOf(log.range(0))).toEqual(Array.from({ length: head }, (_, n) => `e${n}`));
    expect(await log.append([newEvent('more')])).toEqual([head]);
    expect((await verify(log)).sealed).toBe(head + 1);
  },
);

test('a path that is a directory or not a file path is rejected', async () => {
  await using directory = await temporary();
  await expect(sqliteStore({ path: directory.path })).rejects.toMatchObject({
    code: 'io',
    message: `${directory.path} is a directory, not a database.`,
  });
  for (const path of ['', ':memory:']) {
    await expect(sqliteStore({ path })).rejects.toMatchObject({ code: 'invalid' });
  }
});

test('a file that is not a database is corrupt', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await writeFile(path, 'Dear diary, '.repeat(1000));
  await expect(sqliteStore({ path })).rejects.toMatchObject({
    code: 'corrupt',
    message: `${path} is not a SQLite database.`,
  });
});

test('a lost event is corrupt, and the events before it are read', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const { DatabaseSync } = await import('node:sqlite');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append(['a', 'b', 'c'].map((id) => newEvent(id)));
  using database = new DatabaseSync(path);
  database.exec('DELETE FROM event WHERE seq = 1');
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { id } of log.range(0)) seen.push(id);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'corrupt', message: 'Event 1 of conversation c is lost.' });
  expect(seen).toEqual(['a']);
  database.exec('DELETE FROM event');
  await expect(Array.fromAsync(log.range(0))).rejects.toMatchObject({ code: 'corrupt' });
});

test('missing directories are created, and everything is accessible to the owner only', async () => {
  await using directory = await temporary();
  const made = join(directory.path, 'a', 'b');
  await using store = await openStore(`sqlite:${join(made, 'store.db')}`, { sqlite: sqliteScheme });
  await store.create('c', {});
  expect((await stat(join(directory.path, 'a'))).mode & 0o777).toBe(0o700);
  expect((await stat(made)).mode & 0o777).toBe(0o700);
  const files = await readdir(made);
  expect(files.toSorted()).toEqual(['store.db', 'store.db-shm', 'store.db-wal']);
  for (const file of files) expect((await stat(join(made, file))).mode & 0o777).toBe(0o600);
});
