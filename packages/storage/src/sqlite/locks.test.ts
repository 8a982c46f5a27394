import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { explainOpenFailure } from './errors.ts';

/** Locks of this process on a file. */
function locksOn(path: string): readonly string[] {
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  const file = new RegExp(` ${process.pid} \\S+:${statSync(path).ino} `);
  return locks.filter((line) => file.test(line)).map((line) => line.replace(/^\d+: /, ''));
}

// Closing any descriptor of a file drops all locks of the process on it, even those taken through other descriptors.
test.skipIf(!existsSync('/proc/locks'))(
  'opening a file again, or explaining an open failure, keeps its locks',
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const path = join(directory.path, 'store.db');
    await using store = await sqliteStore({ path });
    await store.create('c', {});
    const locks = locksOn(path);
    expect(locks).toHaveLength(1);
    await using again = await sqliteStore({ path });
    expect(explainOpenFailure(path)).toBe(`${path} cannot be opened or written.`);
    expect(await again.list()).toMatchObject({ items: [{ id: 'c' }] });
    expect(locksOn(path)).toEqual(locks);
  },
);
