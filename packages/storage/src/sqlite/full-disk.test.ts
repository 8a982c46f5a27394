import { copyFile, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { child } from '../../test/child.ts';
import { newEvent } from '../testing/events.ts';

/** Reads, appends and creates in a process whose files cannot grow: like a full disk, it has no shared memory. */
async function withoutSpace(path: string): Promise<unknown> {
  const source = `
    import { sqliteStore } from '@varve/storage/sqlite';
    const failure = (error) => error.code + ' ' + error.message;
    const [path, missing] = ${JSON.stringify([path, `${path}.missing`])};
    const seen = [];
    try {
      await using store = await sqliteStore({ path });
      const log = await store.read('c');
      const { items } = await store.list();
      for await (const { id } of log.range(0)) seen.push(id);
      seen.push(items.length, await store.create('d', {}).catch(failure), await store.open('c').catch(failure));
    } catch (error) {
      seen.push(failure(error));
    }
    console.log(JSON.stringify(seen));`;
  await using reader = child(source, 'ulimit -f 0');
  return JSON.parse(await reader.line());
}

const failed = (name: string): string => `io Reading or writing ${name} failed.`;

test.runIf(process.platform !== 'win32')(
  'without space for shared memory, a store is read, also what is not written back, and cannot be changed',
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const [path, copy] = [join(directory.path, 'store.db'), join(directory.path, 'copy.db')];
    {
      await using store = await sqliteStore({ path });
      const log = await store.create('c', {});
      await log.append(['a', 'b'].map((id) => newEvent(id)));
      for (const suffix of ['', '-wal']) await copyFile(path + suffix, copy + suffix);
    }
    expect(await withoutSpace(path)).toEqual(['a', 'b', 1, failed(path), failed(path)]);
    expect(await withoutSpace(copy)).toEqual(['a', 'b', 1, failed(copy), failed(copy)]);
    expect(await withoutSpace(join(directory.path, 'new.db'))).toEqual([failed(join(directory.path, 'new.db'))]);
    await using again = await sqliteStore({ path: copy });
    await again.create('d', {});
    expect((await again.summary('c')).head).toBe(2);
  },
);

test.runIf(process.platform === 'linux')(
  'a store that was opened without space is changed when there is some',
  async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    const [path, copy] = [join(directory.path, 'store.db'), join(directory.path, 'copy.db')];
    {
      await using store = await sqliteStore({ path });
      await store.create('c', {});
      for (const suffix of ['', '-wal']) await copyFile(path + suffix, copy + suffix);
    }
    const source = `
    import { execFileSync } from 'node:child_process';
    import { sqliteStore } from '@varve/storage/sqlite';
    await using store = await sqliteStore({ path: '${copy}' });
    const failures = await Promise.allSettled([store.create('d', {}), store.create('e', {})]);
    execFileSync('prlimit', ['--fsize=unlimited:', '--pid', String(process.pid)]);
    const created = await Promise.allSettled([store.create('d', {}), store.create('e', {})]);
    await using other = await sqliteStore({ path: '${copy}' });
    console.log(JSON.stringify([...failures, ...created].map(({ status }) => status).concat(await other.count())));`;
    await using writer = child(source, 'ulimit -S -f 0');
    const [refused, made] = [Array(2).fill('rejected'), Array(2).fill('fulfilled')];
    expect(JSON.parse(await writer.line())).toEqual([...refused, ...made, 3]);
  },
);
