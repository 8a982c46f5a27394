import { cp, link, mkdir, mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EventStore, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { RootedStore } from '../../src/directory/rooted-store.ts';
import { thisProcess } from '../../src/kit/holder.ts';
import { agentEvent } from '../agent-event.ts';
import { type VolatileFiles, volatileFiles } from '../volatile-files.ts';

/** A holder with a pid above the maximum of Linux, so that every process regards it as dead. */
const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };

/** Opens a store on an overlay file system, whose lower layer contains all conversations and epochs. */
function storeOver(files: VolatileFiles): EventStore {
  // Those new directories that are renamed to their names are in the upper layer.
  files.failWith('EXDEV', (name, path) => name === 'rename' && /\/(?:removed|ended)-[^/]*$/.test(path));
  const options = { root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now(), holder: dead };
  return new RootedStore({ ...options, files, warn: () => {} });
}

async function closedLog(): Promise<VolatileFiles> {
  const files = volatileFiles();
  const log = await storeOver(files).create('c', { title: 'kept' });
  await log.append([0, 1, 2].map((n) => agentEvent(n)));
  await log[Symbol.asyncDispose]();
  return files;
}

test('a conversation of a lower layer is opened, continued, taken over and removed', async () => {
  const files = await closedLog();
  const store = storeOver(files);
  await (await store.open('c', { purpose: 'repair' }))[Symbol.asyncDispose]();
  const log = await store.open('c');
  await log.append([agentEvent(3)]);
  const next = await storeOver(files).open('c');
  await next.append([agentEvent(4)]);
  await expect(log.append([agentEvent(5)])).rejects.toMatchObject({ code: 'fenced' });
  expect(await verify(next)).toMatchObject({ head: 5, sealed: 5 });
  expect(files.list('/srv/root/c/.varve').filter((name) => name.startsWith('epoch-'))).toHaveLength(1);
  await next[Symbol.asyncDispose]();
  await storeOver(files).remove('c');
  expect(files.list('/srv/root')).toEqual(['.varve']);
});

test('after a crash at any call of a removal in place, the conversation is there to be removed, or to be created', async () => {
  let crashes = 0;
  for (let call = 1; ; call += 1) {
    const files = await closedLog();
    files.dieAt(files.calls + call);
    const isRemoved = await storeOver(files)
      .remove('c')
      .then(
        () => true,
        () => false,
      );
    if (isRemoved) break;
    crashes += 1;
    const survivor = files.survivor('kill');
    const store = storeOver(survivor);
    if ((await store.list()).items.length > 0) await store.remove('c');
    const log = await store.create('c', {});
    await log.append([agentEvent(0)]);
    expect(await verify(log), `call ${call}`).toMatchObject({ head: 1, sealed: 1 });
    await log[Symbol.asyncDispose]();
  }
  expect(crashes).toBeGreaterThan(20);
});

/** Copies a directory with hard links, as `cp -al` does. */
async function linkTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: async (path) => (await stat(path)).isDirectory() });
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const copy = join(to, path.slice(from.length));
    await mkdir(dirname(copy), { recursive: true });
    await link(path, copy);
  }
}

async function append(to: EventStore, from: number, end: number): Promise<void> {
  await using log = await to.open('c');
  for (let n = from; n < end; n += 1) await log.append([agentEvent(n)]);
}

test('a copy of hard links stays as it is while the store is continued, and can be continued itself', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [path, backup] = [join(root.path, 'store'), join(root.path, 'backup')];
  await using store = await directoryStore({ path, durability: 'buffered' });
  await (await store.create('c', {}))[Symbol.asyncDispose]();
  await append(store, 0, 3);
  await linkTree(path, backup);
  await append(store, 3, 6);
  await using copied = await directoryStore({ path: backup, durability: 'buffered' });
  expect(await verify(await copied.read('c'))).toMatchObject({ head: 3, sealed: 3 });
  await append(copied, 3, 4);
  await append(store, 6, 7);
  for (const [one, head] of [
    [copied, 4],
    [store, 7],
  ] as const) {
    const verdict = await verify(await one.read('c'));
    expect([verdict.head, verdict.sealed, verdict.broken]).toEqual([head, head, undefined]);
  }
});
