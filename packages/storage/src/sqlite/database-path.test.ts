import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtempDisposable, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { backupSqlite, sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { newEvent } from '../testing/events.ts';
import { checkFiles, databasePath, mountPointsIn } from './database-path.ts';

/** A directory with a store that has one conversation. */
async function storeIn() {
  const directory = await mkdtempDisposable(join(await realpath(tmpdir()), 'varve-'));
  const path = join(directory.path, 'real', 'store.db');
  const store = await sqliteStore({ path });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  return {
    path,
    store,
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('a database with a second hard link is not opened by either name, until one is removed', async () => {
  await using opened = await storeIn();
  const { path, directory, store } = opened;
  await store[Symbol.asyncDispose]();
  const other = join(directory, 'other.db');
  await link(path, other);
  for (const name of [path, other]) {
    const refusal = { code: 'io', message: expect.stringContaining(`${name} has 2 hard links`) };
    await expect(sqliteStore({ path: name })).rejects.toMatchObject(refusal);
    await expect(backupSqlite({ path: name, to: join(directory, 'copy.db') })).rejects.toMatchObject(refusal);
  }
  await rm(path);
  await using again = await sqliteStore({ path: other });
  expect(await again.list()).toMatchObject({ items: [{ id: 'c' }] });
});

test('two connections by symbolic links to the file or its directory append to one log', async () => {
  await using opened = await storeIn();
  const { directory, store } = opened;
  const links = [join(directory, 'link.db'), join(directory, 'second.db'), join(directory, 'way', 'store.db')] as const;
  await symlink('real/store.db', links[0]);
  await symlink('link.db', links[1]);
  await symlink('real', dirname(links[2]));
  for (const [n, name] of links.entries()) {
    await using linked = await sqliteStore({ path: name });
    await using log = await linked.open('c');
    await log.append([newEvent(`e${n}`)]);
    expect(await (await store.read('c')).head()).toBe(n + 1);
  }
});

test('a database that a link to nothing creates is where the link leads, and only its owner can read it', async () => {
  await using directory = await mkdtempDisposable(join(await realpath(tmpdir()), 'varve-'));
  const [name, path] = [join(directory.path, 'link.db'), join(directory.path, 'deep', 'store.db')];
  await symlink('second.db', name);
  await symlink('deep/store.db', join(directory.path, 'second.db'));
  await using store = await sqliteStore({ path: name });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect((await stat(dirname(path))).mode & 0o077).toBe(0);
  expect(databasePath(name)).toBe(path);
});

test('a link to itself is reported', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const name = join(directory.path, 'loop.db');
  await symlink('loop.db', name);
  await expect(sqliteStore({ path: name })).rejects.toMatchObject({
    code: 'io',
    message: expect.stringContaining(name),
  });
});

test('mount points are read from the table of the system', () => {
  const table = [
    '36 35 98:0 /mnt1 /data/a\\040b\\134c.db rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
    '22 28 0:21 / / rw - tmpfs tmpfs rw',
    '',
  ].join('\n');
  expect([...mountPointsIn(table)].filter((point) => point !== '')).toEqual(['/data/a b\\c.db', '/']);
});

test('a path at which something is mounted is refused', async () => {
  // Only Linux has such a table, and mounts files.
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const points = [...mountPointsIn(table)].filter((point) => point !== '');
  for (const point of points) expect(() => checkFiles(point)).toThrow('is mounted without its directory');
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await writeFile(path, '');
  expect(() => checkFiles(path)).not.toThrow();
});

test('a copy never replaces a file that appears while it is made, and leaves no other file', async () => {
  await using opened = await storeIn();
  const { path, directory } = opened;
  const to = join(directory, 'copies', 'copy.db');
  await mkdir(dirname(to));
  const copying = backupSqlite({ path, to });
  expect(await Promise.allSettled([copying, backupSqlite({ path, to })])).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'exists' } },
  ]);
  expect((await stat(to)).nlink).toBe(1);
});

test('a link, directory or pipe in place of another file of SQLite is refused by its name', async () => {
  await using opened = await storeIn();
  const { path, directory, store } = opened;
  await store[Symbol.asyncDispose]();
  const places: Readonly<Record<string, (name: string) => unknown>> = {
    link: (name) => symlink(join(directory, 'none'), name),
    directory: (name) => mkdir(name),
    pipe: (name) => execFileSync('mkfifo', [name]),
  };
  for (const put of Object.values(places)) {
    for (const name of ['-journal', '-wal', '-shm'].map((suffix) => path + suffix)) {
      await put(name);
      const refusal = { code: 'io', message: `${name} is not a regular file.` };
      await expect(sqliteStore({ path })).rejects.toMatchObject(refusal);
      await expect(backupSqlite({ path, to: join(directory, 'copy.db') })).rejects.toMatchObject(refusal);
      await rm(name, { recursive: true });
    }
  }
  await using again = await sqliteStore({ path });
  expect(await again.list()).toMatchObject({ items: [{ id: 'c' }] });
});
