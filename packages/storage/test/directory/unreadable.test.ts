import { glob, mkdir, mkdtempDisposable, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, type NewEvent, ed25519Signer } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { allSummaries } from '../../src/kit/listing.ts';
import { applyRetention, planRetention, scrub } from '@varve/storage/maintenance';
import { describe, expect, test } from 'vitest';
import { RootedStore } from '../../src/directory/rooted-store.ts';
import { thisProcess } from '../../src/kit/holder.ts';
import { type VolatileFiles, volatileFiles } from '../volatile-files.ts';
import { scanFacts } from '../../src/kit/facts.ts';

const secret = 'sk-0123456789';
const signer = ed25519Signer(new Uint8Array(32).fill(1));
const kind = 'ConversationStateUpdateEvent';
const fact = (id: string): NewEvent => {
  const text = JSON.stringify({ id, key: 'varve.label', value: secret, kind });
  return { id, kind, parentId: undefined, text };
};

/** Creates the conversations `a`, `b` and `c`, each with a secret. */
async function fill(store: EventStore): Promise<void> {
  for (const id of ['a', 'b', 'c']) {
    await using log = await store.create(id, { title: id });
    await log.append([fact(`${id}1`), fact(`${id}2`)]);
  }
}

/** Expects that `b`, whatever is wrong with it, keeps none of the others from being listed, searched or scrubbed. */
async function expectOthers(store: EventStore): Promise<void> {
  const summaries = new Map((await allSummaries(store)).map((summary) => [summary.id, summary]));
  for (const id of ['a', 'c']) expect(summaries.get(id)).toMatchObject({ head: 2, meta: { title: id } });
  const { items } = await scanFacts(store, { name: 'varve.label' });
  expect(items.filter(({ conversation }) => conversation !== 'b')).toHaveLength(4);
  const { scrubbed } = await scrub(store, { secrets: [secret], signer });
  expect(scrubbed.filter(({ conversation }) => conversation !== 'b')).toHaveLength(4);
  const { removed } = await applyRetention(store, await planRetention(store, { maxAgeMs: -1 }));
  expect(removed.filter((id) => id !== 'b').toSorted()).toEqual(['a', 'c']);
}

function storeOver(files: VolatileFiles): EventStore {
  const options = { root: '/srv/root', leaseMs: 3_600_000, pollMs: 250, now: () => Date.now(), holder: thisProcess() };
  return new RootedStore({ ...options, files, warn: () => {} });
}

const places = ['', '/events', '/base_state.json', '/meta.json', '/.varve', '/.varve/meta.json', '/.varve/seals.jsonl'];

describe.for(['EACCES', 'EPERM', 'EIO', 'ESTALE', 'EUCLEAN', 'ENAMETOOLONG'])('%s', (errno) => {
  test.for(places)('at %s of one conversation keeps no other from being used', async (place) => {
    const files = volatileFiles();
    const store = storeOver(files);
    await fill(store);
    const broken = `/srv/root/b${place}`;
    files.failWith(errno, (_, path) => path.startsWith(broken) && (place !== '' || path !== broken));
    expect((await allSummaries(store)).map(({ id }) => id)).toContain('b');
    await expectOthers(store);
  });
});

test.for(['EMFILE', 'ENFILE', 'ENOMEM'])(
  '%s, which has nothing to do with one conversation, is reported',
  async (errno) => {
    const files = volatileFiles();
    const store = storeOver(files);
    await fill(store);
    files.failWith(errno, (_, path) => path.startsWith('/srv/root/b/'));
    await expect(store.list()).rejects.toMatchObject({ code: 'io' });
    await expect(scanFacts(store, { name: 'varve.label' })).rejects.toMatchObject({ code: 'io' });
  },
);

type Damage = (path: string) => Promise<void>;
const sized =
  (name: string): Damage =>
  async (path) => {
    await writeFile(join(path, name), '');
    await truncate(join(path, name), 3 * 1024 ** 3);
  };
const linked =
  (name: string, target = name): Damage =>
  async (path) => {
    await rm(join(path, name), { recursive: true, force: true });
    await symlink(target.split('/').at(-1) ?? '', join(path, name));
  };
const next = 'events/event-00002-00000000.json';

/** Damages that are no failures of the disk. The last five leave a log that can be continued. */
const damages: Readonly<Record<string, Damage>> = {
  'is a link to itself': async (path) => {
    await rm(path, { recursive: true });
    await symlink('b', path);
  },
  'has a circle of links for its events': linked('events'),
  'has a circle of links for its seals': linked('.varve/seals.jsonl'),
  'has a circle of links for its lease': linked('.varve/epoch-7'),
  'has seals of three gigabytes': sized('.varve/seals.jsonl'),
  'has a state with a name that is too long': linked('base_state.json', 'x'.repeat(300)),
  'has a state in a circle of links': linked('base_state.json'),
  'has a state of three gigabytes': sized('base_state.json'),
  'has a last event of three gigabytes': sized(next),
  'has a last event in a circle of links': linked(next),
  'has an event whose name is no text': async (path) => {
    const name = Buffer.concat([
      Buffer.from(join(path, 'events', 'event-00002-')),
      Buffer.from([255, 254]),
      Buffer.from('.json'),
    ]);
    // File systems of other systems than Linux refuse such names.
    await writeFile(name, 'x').catch(() => undefined);
  },
};

test.for(Object.keys(damages))('a conversation that %s keeps no other from being used', async (name) => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path, durability: 'buffered' });
  await fill(store);
  await damages[name]?.(join(root.path, 'b'));
  await expectOthers(store);
});

test.for(Object.keys(damages).slice(-5))('a conversation that %s can be continued', async (name) => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path, durability: 'buffered' });
  await fill(store);
  await damages[name]?.(join(root.path, 'b'));
  await using log = await store.open('b');
  await log.append([fact('b3')]);
  expect((await Array.fromAsync(log.range(0))).map(({ id }) => id)).toEqual(['b1', 'b2', 'b3']);
});

test('what has the name of an event and is no file is kept in quarantine, also under a name that is taken', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path, durability: 'buffered' });
  await fill(store);
  const quarantine = join(root.path, 'b', '.varve', 'quarantine');
  const name = `event-00002-${'é'.repeat(119)}.json`;
  await mkdir(quarantine, { recursive: true });
  await symlink('nothing', join(quarantine, name));
  await mkdir(join(root.path, 'b', 'events', name));
  await writeFile(join(root.path, 'b', 'events', name, 'mine'), 'mine');
  await (await store.open('b'))[Symbol.asyncDispose]();
  const kept = await Array.fromAsync(glob('*/mine', { cwd: quarantine }));
  expect(kept).toHaveLength(1);
});

test('a conversation with a time that no date has is listed, on pages of any size', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using store = await directoryStore({ path: root.path, durability: 'buffered' });
  await fill(store);
  for (const time of [new Date(-1_000_000), new Date(8.64e15)]) {
    for (const id of ['a', 'b']) await utimes(join(root.path, id, 'events'), time, time);
    const problems: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await store.list({ limit: 1, ...(after !== undefined && { after }) });
      problems.push(...page.items.map(({ id }) => id));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(problems.toSorted()).toEqual(['a', 'b', 'c']);
  }
});

test('a conversation that is removed while it is listed is listed as a whole or not at all', async () => {
  const files = volatileFiles();
  await fill(storeOver(files));
  const before = (await storeOver(files).list()).items;
  const outcomes = new Set<number>();
  for (let call = 1; ; call += 1) {
    const disk = volatileFiles();
    await fill(storeOver(disk));
    const start = disk.calls;
    let isRemoved = false;
    disk.failWith('EIO', () => {
      if (!isRemoved && disk.calls === start + call) {
        isRemoved = true;
        disk.rename('/srv/root/b', '/srv/root/.varve/removed-b');
      }
      return false;
    });
    const { items } = await storeOver(disk).list();
    if (!isRemoved) break;
    outcomes.add(items.length);
    for (const item of items) expect(item).toMatchObject({ head: 2, meta: { title: item.id } });
  }
  expect(before).toHaveLength(3);
  expect(outcomes).toEqual(new Set([2, 3]));
});

test('a store whose scratch directory is a link removes nothing into what is behind it', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [path, outside] = [join(root.path, 'store'), join(root.path, 'outside')];
  await using store = await directoryStore({ path, durability: 'buffered' });
  await fill(store);
  await rename(join(path, '.varve'), outside);
  await symlink(outside, join(path, '.varve'));
  await expect(store.remove('b')).rejects.toMatchObject({ code: 'corrupt' });
  expect((await store.list()).items).toHaveLength(3);
});
