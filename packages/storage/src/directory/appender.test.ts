import { chmod, link, mkdir, mkdtempDisposable, readdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, openStore } from '@varve/storage';
import { directoryScheme, directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { agentEvent } from '../../test/agent-event.ts';
import { child } from '../../test/child.ts';
import { type VolatileFiles, volatileFiles } from '../../test/volatile-files.ts';
import { thisProcess } from '../kit/holder.ts';
import { idsOf } from '../testing/events.ts';
import { eventName } from './layout/event-file.ts';
import type { Files } from './layout/files.ts';
import { fileLinker } from './layout/link-file.ts';
import { pathsOf } from './layout/paths.ts';
import { RootedStore } from './rooted-store.ts';
import { takeLease } from './take-lease.ts';
import type { DirectoryWarning } from './layout/warnings.ts';

const id = '0123456789abcdef0123456789abcdef';
const inTwoHours = (): number => Date.now() + 7_200_000;
const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const nameOf = (n: number, seq = n): string => eventName({ seq, slug: agentEvent(n).id });

function storeOver(files: Files, warn: (warning: DirectoryWarning) => void = () => {}): EventStore {
  const options = { files, root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now() };
  return new RootedStore({ ...options, holder: thisProcess(), warn });
}

test('`dir:` opens a directory', async () => {
  await using root = await temporary();
  await using store = await openStore(`dir:${join(root.path, 'a', 'b')}`, { dir: directoryScheme });
  await (await store.create(id, {})).append([agentEvent(0)]);
  expect(await readdir(join(root.path, 'a', 'b', id, 'events'))).toEqual([nameOf(0)]);
  for (const path of ['', 'a\0b']) await expect(directoryStore({ path })).rejects.toMatchObject({ code: 'invalid' });
});

test('an append lists nothing and makes the same calls at any length', async () => {
  const files = volatileFiles();
  const log = await storeOver(files).create(id, {});
  const callsOf = async (n: number): Promise<number> => {
    const before = files.calls;
    await log.append([agentEvent(n)]);
    return files.calls - before;
  };
  await callsOf(0);
  const second = await callsOf(1);
  for (let n = 2; n < 500; n += 1) await callsOf(n);
  files.failWith('EIO', (name) => name === 'list');
  expect(await callsOf(500)).toBe(second);
});

test('an append by another program is a conflict once, and the next append succeeds', async () => {
  await using root = await temporary();
  await using store = await directoryStore({ path: root.path });
  const log = await store.create(id, {});
  const events = join(root.path, id, 'events');
  await log.append([agentEvent(0)]);
  await writeFile(join(events, nameOf(1)), agentEvent(1).text);
  // A reader of this store that sees the event first does not prevent the conflict.
  expect(await (await store.read(id)).head()).toBe(2);
  await expect(log.append([agentEvent(2)])).rejects.toMatchObject({
    code: 'conflict',
    message: `Another process changed conversation ${id}: it has 2 events now.`,
  });
  expect(await log.append([agentEvent(1), agentEvent(2)])).toEqual([1, 2]);
  await writeFile(join(events, '.eventlog.lock'), '');
  expect(await log.append([agentEvent(3)])).toEqual([3]);
});

test('an append by another program during an append is a conflict', async () => {
  const files = volatileFiles();
  const foreign = volatileAccess(files, async (name, path) => {
    if (name !== 'writeAndFsync' || path.includes('/new-')) return;
    files.write(`/srv/root/${id}/events/${nameOf(9, 0)}`, agentEvent(9).text);
  });
  const log = await storeOver(foreign).create(id, {});
  await expect(log.append([agentEvent(0)])).rejects.toMatchObject({ code: 'conflict' });
  expect(await idsOf(log.range(0))).toEqual([agentEvent(9).id]);
});

test('readers of the same store see an event only once it is on the disk', async () => {
  const files = volatileFiles();
  const { promise: synced, resolve: sync } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const slow = volatileAccess(files, async (name, path) => {
    if (name !== 'fsync' || !path.endsWith(`${id}/events`)) return;
    reach();
    await synced;
  });
  const store = storeOver(slow);
  const log = await store.create(id, {});
  const reader = await store.read(id);
  const appended = log.append([agentEvent(0)]);
  await reached;
  expect(files.list(`/srv/root/${id}/events`)).toHaveLength(1);
  expect([await reader.head(), await log.head()]).toEqual([0, 0]);
  sync();
  await appended;
  expect([await reader.head(), await log.head()]).toEqual([1, 1]);
});

test('a resend is not acknowledged before the event is on the disk', async () => {
  const files = volatileFiles();
  const log = await storeOver(files).create(id, {});
  files.failWith('EIO', (name, path) => name === 'fsync' && path.endsWith('/events'));
  await expect(log.append([agentEvent(0)])).rejects.toMatchObject({ code: 'io' });
  await expect(log.append([agentEvent(0)])).rejects.toMatchObject({ code: 'io' });
  files.failWith('EIO', () => false);
  expect(await log.append([agentEvent(0)])).toEqual([0]);
  const survivor = storeOver(files.survivor({ keep: 0 }));
  expect(await (await survivor.read(id)).head()).toBe(1);
});

test('a long append that fails stores at most a prefix', async () => {
  const files = volatileFiles();
  const log = await storeOver(files).create(id, {});
  files.failWith('ENOSPC', (name, path) => name === 'link' && path.includes('event-00002'));
  const events = [0, 1, 2, 3].map((n) => agentEvent(n));
  await expect(log.append(events, { meta: 'new' })).rejects.toMatchObject({ code: 'full', isRetryable: true });
  expect(await log.head()).toBe(2);
  files.failWith('ENOSPC', () => false);
  expect(await log.append(events, { meta: 'new' })).toEqual([0, 1, 2, 3]);
});

test.for([
  ['ENOSPC', 'full', 'There is no space left for'],
  ['EDQUOT', 'full', 'The quota leaves no space for'],
  ['EMFILE', 'io', 'too many files open'],
  ['EACCES', 'io', 'not accessible'],
  ['EROFS', 'io', 'read-only'],
  ['EIO', 'io', 'The disk failed'],
  ['EBUSY', 'io', 'cannot be read or written: EBUSY'],
] as const)('%s is %s and names the path', async ([errno, code, words]) => {
  const files = volatileFiles();
  const store = storeOver(files);
  const log = await store.create(id, {});
  files.failWith(errno, () => true);
  const calls = [
    async () => log.append([agentEvent(0)]),
    async () => log.head(),
    async () => store.list(),
    async () => store.summary(id),
    async () => store.open(id),
    async () => store.create('other', {}),
    async () => store.remove(id),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({ name: 'StorageError', code, message: expect.stringContaining(words) });
    await expect(call()).rejects.toThrow('/srv/root');
  }
});

test('a directory that is not writable is named', async () => {
  await using root = await temporary();
  await chmod(root.path, 0o755);
  await using opener = child(`
    import { directoryStore } from '@varve/storage/directory';
    if (process.getuid() === 0) {
      process.setgid(65534);
      process.setuid(65534);
    }
    const store = await directoryStore({ path: ${JSON.stringify(root.path)} });
    const failed = await store.create('c', {}).catch((error) => error);
    console.log(JSON.stringify([failed.code, failed.message]));
    process.exit();`);
  await chmod(root.path, 0o555);
  const [code, message] = JSON.parse(await opener.line());
  expect([code, message]).toEqual(['io', expect.stringContaining(`${root.path}/.varve is not accessible`)]);
});

test('without hard links events are renamed into place, with one warning', async () => {
  const files = volatileFiles();
  files.failWith('EPERM', (name) => name === 'link');
  const warnings: DirectoryWarning[] = [];
  const store = storeOver(files, (warning) => void warnings.push(warning));
  for (const name of [id, 'other']) {
    const log = await store.create(name, {});
    expect(await log.append([agentEvent(0), agentEvent(1)])).toEqual([0, 1]);
    expect(await log.append([agentEvent(1), agentEvent(2)])).toEqual([1, 2]);
  }
  expect(warnings.map(({ code, path }) => [code, path])).toEqual([['no-hard-links', '/srv/root/.varve']]);
  expect(files.list('/srv/root/.varve')).toEqual([]);
});

test('without hard links nothing is overwritten and a stale holder is fenced', async () => {
  const files = volatileFiles();
  files.failWith('ENOTSUP', (name) => name === 'link');
  let isRunOut = false;
  const options = { files, root: '/srv/root', leaseMs: 45_000, pollMs: 250, holder: thisProcess(), warn: () => {} };
  const old = await new RootedStore({ ...options, now: () => Date.now() }).create(id, {});
  await old.append([agentEvent(0)]);
  const other = new RootedStore({ ...options, now: () => Date.now() + (isRunOut ? 60_000 : 0) });
  isRunOut = true;
  const log = await other.open(id);
  await expect(old.append([agentEvent(1)])).rejects.toMatchObject({ code: 'fenced' });
  expect(await log.append([agentEvent(2)])).toEqual([1]);
  await old[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

test('a stale holder whose events are staged already cannot place them', async () => {
  const files = volatileFiles();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
  const sleepy = volatileAccess(files, async (name, path) => {
    if (name !== 'writeAndFsync' || path.includes('/new-')) return;
    reach();
    await woken;
  });
  const old = await storeOver(sleepy).create(id, {});
  const appended = old.append([agentEvent(0)], { meta: 'stale' });
  await reached;
  const later = { files, root: '/srv/root', leaseMs: 45_000, pollMs: 250, now: inTwoHours };
  const other = new RootedStore({ ...later, holder: thisProcess(), warn: () => {} });
  const log = await other.open(id);
  wake();
  await expect(appended).rejects.toMatchObject({ code: 'fenced' });
  expect([await log.head(), (await other.summary(id)).meta]).toEqual([0, {}]);
  await other[Symbol.asyncDispose]();
});

test('a holder that loses its lease at any call of its append is fenced, or had finished before', async () => {
  const paths = pathsOf(`/srv/root/${id}`);
  const outcomes: string[] = [];
  for (let call = 1, last = 1; call <= last; call += 1) {
    const files = volatileFiles();
    const old = await storeOver(files).create(id, {});
    await old.append([agentEvent(0)]);
    const start = files.calls;
    let isOvertaken = false;
    files.failWith('EIO', () => {
      if (isOvertaken || files.calls !== start + call) return false;
      isOvertaken = true;
      takeLease({ id, files, paths, leaseMs: 45_000, now: inTwoHours, holder: thisProcess() });
      files.write(`${paths.events}/${nameOf(9, files.list(paths.events).length)}`, agentEvent(9).text);
      return false;
    });
    const outcome = old.append([agentEvent(1)]).then(
      () => (files.list(paths.events).includes(nameOf(1)) ? 'done' : 'lost'),
      (error: { readonly code: string }) => error.code,
    );
    outcomes.push(await outcome);
    last = Math.max(last, files.calls - start);
  }
  expect(outcomes.length).toBeGreaterThan(5);
  expect([...new Set(outcomes)]).toEqual(['fenced', 'done']);
});

test('a removed conversation is moved away before it is deleted', async () => {
  const files = volatileFiles();
  const store = storeOver(files);
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  files.failWith('EIO', (name, path) => name === 'remove' && path.includes('removed-'));
  await expect(store.remove(id)).rejects.toMatchObject({ code: 'io' });
  await expect(store.summary(id)).rejects.toMatchObject({ code: 'missing' });
  files.failWith('EIO', () => false);
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  expect(files.list('/srv/root/.varve')).toEqual([]);
});

test('an id that leads out of the root is rejected before a path is built from it', async () => {
  const files = volatileFiles();
  const store = storeOver(files);
  for (const bad of ['..', '../x', '/etc', 'a/../b', '.varve', '']) {
    for (const call of [
      store.create(bad, {}),
      store.open(bad),
      store.read(bad),
      store.remove(bad),
      store.summary(bad),
    ]) {
      await expect(call).rejects.toMatchObject({ code: 'invalid' });
    }
  }
  expect(files.calls).toBe(0);
});

test('a copy made with hard links does not change with the original', async () => {
  await using root = await temporary();
  await using store = await directoryStore({ path: root.path });
  const log = await store.create(id, {});
  await log.append([agentEvent(0), agentEvent(1)]);
  const [from, to] = [join(root.path, id, 'events'), join(root.path, 'copy', 'events')];
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) await link(join(from, name), join(to, name));
  const copy = await store.open('copy');
  await copy.append([agentEvent(5)]);
  expect([await log.head(), await copy.head()]).toEqual([2, 3]);
  await rename(join(root.path, 'copy'), join(root.path, 'gone'));
  await expect(copy.append([agentEvent(6)])).rejects.toMatchObject({ code: 'fenced' });
});

test('without hard links an existing name is not overwritten', () => {
  const files = volatileFiles();
  files.failWith('EPERM', (name) => name === 'link');
  files.makeDirectories('/srv/root/.varve');
  for (const name of ['a', 'b']) files.write(`/srv/root/${name}`, name);
  const linkFile = fileLinker(files, '/srv/root/.varve', () => {});
  expect(() => linkFile('/srv/root/a', '/srv/root/b')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(files.read('/srv/root/b')?.toString()).toBe('b');
  linkFile('/srv/root/a', '/srv/root/c');
  expect([files.read('/srv/root/a'), files.read('/srv/root/c')?.toString()]).toEqual([undefined, 'a']);
});

test('readers of other stores see every append on a file system with times in seconds', async () => {
  const files = volatileFiles();
  const coarse: Files = {
    ...files,
    setModifiedTime: (path, ns) => files.setModifiedTime(path, ns - (ns % 2_000_000_000n)),
  };
  const log = await storeOver(coarse).create(id, {});
  const reader = await storeOver(coarse).read(id);
  for (let n = 0; n < 5; n += 1) {
    await log.append([agentEvent(n)]);
    expect(await reader.head()).toBe(n + 1);
  }
});

test('a stopped clock hides nothing from readers', async () => {
  const files = volatileFiles();
  const now = BigInt(Date.now()) * 1_000_000n;
  const frozen: Files = {
    ...files,
    status: (path) => {
      const status = files.status(path);
      return status && { ...status, modifiedNs: now };
    },
  };
  const events = `/srv/root/${id}/events`;
  files.makeDirectories(events);
  const reader = await storeOver(frozen).read(id);
  for (let n = 0; n < 3; n += 1) {
    await files.writeAndFsync(`${events}/${nameOf(n)}`, agentEvent(n).text);
    expect(await reader.head()).toBe(n + 1);
  }
});

test('appends to a directory of another user, whose time cannot be set, are visible once stored', async () => {
  const files = volatileFiles();
  files.failWith('EPERM', (name) => name === 'setModifiedTime');
  const { promise: synced, resolve: sync } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const slow = volatileAccess(files, async (name, path) => {
    if (name !== 'fsync' || !path.endsWith(`${id}/events`)) return;
    reach();
    await synced;
  });
  files.makeDirectories(`/srv/root/${id}/events`);
  const store = storeOver(slow);
  const log = await store.open(id);
  const appended = log.append([agentEvent(0)]);
  await reached;
  expect(await log.head()).toBe(0);
  sync();
  expect(await appended).toEqual([0]);
  expect([await log.append([agentEvent(0), agentEvent(1)]), await log.head()]).toEqual([[0, 1], 2]);
});

test('unfinished conversations of dead processes are deleted, those of live ones are not', async () => {
  const files = volatileFiles();
  const parts = { files, root: '/srv/root', leaseMs: 45_000, pollMs: 250, now: () => Date.now(), warn: () => {} };
  files.failWith('EIO', (name, path) => name === 'rename' && path.endsWith(id));
  const undead: Files = { ...files, remove: () => {} };
  for (const pid of [2 ** 22 + 1, process.pid]) {
    const store = new RootedStore({ ...parts, files: undead, holder: { ...thisProcess(), pid } });
    await expect(store.create(id, {})).rejects.toMatchObject({ code: 'io' });
  }
  expect(files.list('/srv/root/.varve')).toHaveLength(2);
  await storeOver(files).create('other', {});
  expect(files.list('/srv/root/.varve')).toHaveLength(1);
});

test('a reader of a removed conversation reads nothing of a new one with its id', async () => {
  await using root = await temporary();
  await using store = await directoryStore({ path: root.path });
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  const reader = await store.read(id);
  expect(await reader.head()).toBe(0);
  await store.remove(id);
  await (await store.create(id, {})).append([agentEvent(0)]);
  await expect(reader.head()).rejects.toMatchObject({ code: 'missing' });
});

/** Returns files that run an action before each asynchronous call. */
function volatileAccess(files: VolatileFiles, before: (name: keyof Files, path: string) => Promise<void>): Files {
  return {
    ...files,
    writeAndFsync: async (path, contents) => {
      await before('writeAndFsync', path);
      return files.writeAndFsync(path, contents);
    },
    fsync: async (path) => {
      await before('fsync', path);
      return files.fsync(path);
    },
  };
}
