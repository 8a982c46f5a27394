import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  type EventStore,
  memoryStore,
  StorageError,
  type Stored,
  ed25519Signer,
  type LogProof,
  verify,
} from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { copyLog, repair, scrub } from '@varve/storage/maintenance';
import type { ScrubResult } from './scrub.ts';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { unpackText } from '../sqlite/packed-text.ts';
import { newEvent } from '../testing/events.ts';

const secret = 'sk-0123456789';
const signer = ed25519Signer(new Uint8Array(32).fill(1));
const trusted = [signer.did];
const nothing = { scrubbed: [], held: [], failed: [], quarantined: 0 };

const stores: Record<string, (path: string) => Promise<EventStore>> = {
  memory: async () => memoryStore(),
  sqlite: async (path) => sqliteStore({ path: join(path, 'store.db') }),
  directory: async (path) => directoryStore({ path }),
};

async function leaky(store: EventStore, id: string): Promise<void> {
  await using log = await store.create(id, { title: `Use ${secret}`, workspace: '/srv/w' });
  await log.append([newEvent('a'), newEvent('b', { parentId: 'a', note: `key=${secret};` }), newEvent('c')]);
  await log.append([newEvent('d', { note: JSON.stringify({ nested: secret }) })], { signer });
  await log.snapshots.save('view', { seq: 4, state: secret });
}

/** Saves a state that contains the secret, in a log that does not. */
async function leakySnapshot(store: EventStore, id: string): Promise<void> {
  await using log = await store.create(id, {});
  await log.append([newEvent('a')]);
  await log.snapshots.save('view', { seq: 1, state: { text: `Use ${secret}` } });
}

async function everythingIn(path: string): Promise<string> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map(async (file) => readFile(file, 'latin1')))).join('\n');
}

/** Returns the packed texts of the events of a SQLite store that contain the secret. */
function packedSecrets(path: string): readonly string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT packed FROM event WHERE packed IS NOT NULL').all();
  database.close();
  const packed = rows.map((row) => row['packed']).filter((column) => column instanceof Uint8Array);
  const secrets = packed.filter((column) => unpackText(column)?.includes(secret));
  return secrets.map((column) => Buffer.from(column).toString('latin1'));
}

describe.for(Object.entries(stores))('in the store %s', ([, open]) => {
  test('a secret that only a snapshot contains is removed with it', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    await leakySnapshot(store, '0123456789abcdef0123456789abcdef');
    expect(await scrub(store, { secrets: [secret], signer })).toEqual(nothing);
    await using log = await store.open('0123456789abcdef0123456789abcdef');
    expect(await log.snapshots.latest('view')).toBeUndefined();
    expect(await everythingIn(directory.path)).not.toContain(secret);
  });

  test('a secret is removed from events, forks, meta, snapshots and files, and the proof stays valid', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    await leaky(store, '0123456789abcdef0123456789abcdef');
    await leaky(store, 'fork');
    await (await store.create('clean', {})).append([newEvent('a')]);
    const before = await verify(await store.read('fork'), { trusted });
    const result = await scrub(store, { secrets: [secret], signer, reason: 'a key of ours' });
    expect(result.held).toEqual([]);
    expect(result.scrubbed.map(({ conversation, seq }) => `${conversation.slice(0, 4)} ${seq}`).toSorted()).toEqual([
      '0123 1',
      '0123 3',
      'fork 1',
      'fork 3',
    ]);
    const log = await store.open('fork');
    const texts = (await Array.fromAsync(log.range(0))).map(({ text }) => text);
    expect(texts.join('')).not.toContain(secret);
    expect(texts[1]).toContain(`key=${'*'.repeat(secret.length)};`);
    expect([texts[0], texts[2]]).toEqual([newEvent('a').text, newEvent('c').text]);
    expect(await log.snapshots.latest('view')).toBeUndefined();
    expect((await store.summary('fork')).meta).toMatchObject({ title: `Use ${'*'.repeat(secret.length)}` });
    expect((await everythingIn(directory.path)).includes(secret)).toBe(false);

    const after = await verify(log, { trusted });
    expect([after.broken, after.seal, after.signedEvents]).toEqual([undefined, before.seal, 4]);
    expect(after.tombstones).toMatchObject([
      { seq: 1, reason: 'a key of ours', signer: signer.did },
      { seq: 3, signer: signer.did },
    ]);
    await log.append([newEvent('e')]);
    await log[Symbol.asyncDispose]();
    expect(await scrub(store, { secrets: [secret], signer })).toEqual(nothing);

    await using other = memoryStore();
    expect(await copyLog(await store.read('fork'), other, { trusted })).toMatchObject({ sealed: 5, signedEvents: 4 });
  });

  test('a second secret in the same event is removed, and its seal does not change', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    const log = await store.create('c', {});
    await log.append([newEvent('a', { note: `${secret} and hunter22` }), newEvent('b')], { signer });
    await log[Symbol.asyncDispose]();
    await scrub(store, { secrets: [secret], signer });
    await scrub(store, { secrets: ['hunter22'], signer });
    const reader = await store.read('c');
    expect((await reader.at(0)).text).toContain(`${'*'.repeat(secret.length)} and ********`);
    const { broken, signedEvents, tombstones } = await verify(reader, { trusted });
    expect([broken, signedEvents, tombstones.length]).toEqual([undefined, 2, 1]);
    const stranger = await verify(reader, { trusted: [ed25519Signer(new Uint8Array(32).fill(9)).did] });
    expect([stranger.broken?.seq, stranger.broken?.reason]).toEqual([0, 'untrusted']);
  });

  test('a held conversation is reported and not changed', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    await leaky(store, 'c');
    await using log = await store.open('c');
    expect(await scrub(store, { secrets: [secret], signer })).toEqual({ ...nothing, held: ['c'] });
    expect((await log.at(1)).text).toContain(secret);
  });
});

/** Opens a transaction that keeps reading the current state of the SQLite store, as other tools may. */
function foreignReader(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM event').get();
  return database;
}

test('scrubbing waits for readers of the old state, so that the write-ahead log keeps no secret', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: secret })]);
  const [packed = ''] = packedSecrets(path);
  expect((await everythingIn(directory.path)).includes(packed)).toBe(true);
  await log.proof?.cut(0);
  const reader = foreignReader(path);
  const masking = log.proof?.maskQuarantine?.((text) => text.replace(secret, 'masked'));
  const isMasked = async () => (await Array.fromAsync(log.proof?.quarantine?.() ?? [])).join('').includes('masked');
  while (!(await isMasked())) await setImmediate();
  reader.close();
  expect(await masking).toBe(1);
  const files = await everythingIn(directory.path);
  expect([files.includes(secret), files.includes(packed)]).toEqual([false, false]);
});

test('scrubbing fails if a reader keeps the old state too long, and a second call completes it', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, busyMs: 20 });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: secret })]);
  await log[Symbol.asyncDispose]();
  const [packed = ''] = packedSecrets(path);
  const reader = foreignReader(path);
  await expect(scrub(store, { secrets: [secret], signer })).rejects.toMatchObject({ code: 'io' });
  expect((await (await store.read('c')).at(0)).text).not.toContain(secret);
  await expect(scrub(store, { secrets: [secret], signer })).rejects.toMatchObject({ code: 'io' });
  reader.close();
  expect((await everythingIn(directory.path)).includes(packed)).toBe(true);
  expect(await scrub(store, { secrets: [secret], signer })).toEqual(nothing);
  expect((await everythingIn(directory.path)).includes(packed)).toBe(false);
});

describe.for(['sqlite', 'directory'])('in the quarantine of the store %s', (name) => {
  const open = stores[name] ?? (async () => memoryStore());

  test('a secret only in quarantine is found without a lease, masked, and removed from the files', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    for (const id of ['c', 'fork']) {
      await using log = await store.create(id, {});
      await log.append([newEvent('a'), newEvent('b', { note: `"${secret}"é` }), newEvent('c')], { signer });
      await log.proof?.cut(1);
      const { proof } = await store.read(id);
      const texts = await Array.fromAsync(proof?.quarantine?.() ?? []);
      expect(texts.filter((text) => text.includes(secret))).toHaveLength(1);
    }
    const before = await verify(await store.read('c'), { trusted });
    const result = await scrub(store, { secrets: [secret], signer });
    expect(result).toEqual({ ...nothing, quarantined: 2 });
    expect((await everythingIn(directory.path)).includes(secret)).toBe(false);
    const { proof } = await store.read('c');
    const masked = (await Array.fromAsync(proof?.quarantine?.() ?? [])).filter((text) => text.includes('*****'));
    expect(masked).toHaveLength(1);
    expect(masked[0]).toContain('é');
    expect(await verify(await store.read('c'), { trusted })).toEqual(before);
    expect((await scrub(store, { secrets: [secret], signer })).quarantined).toBe(0);
  });

  test('a secret in JSON in the JSON of an event is found in quarantine too', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    const quoted = 'pa"ss\\word';
    const log = await store.create('c', {});
    const note = JSON.stringify({ text: quoted });
    await log.append([newEvent('a', { note }), newEvent('b', { note })]);
    await log.proof?.cut(1);
    await log[Symbol.asyncDispose]();
    const { scrubbed, quarantined } = await scrub(store, { secrets: [quoted], signer });
    expect([scrubbed.length, quarantined]).toEqual([1, 1]);
  });

  test('a closed log masks nothing', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using store = await open(directory.path);
    const log = await store.create('c', {});
    await log.append([newEvent('a', { note: secret })]);
    await log.proof?.cut(0);
    await log[Symbol.asyncDispose]();
    await expect(log.proof?.maskQuarantine?.(() => '')).rejects.toMatchObject({ code: 'closed' });
    const { proof } = await store.read('c');
    expect((await Array.fromAsync(proof?.quarantine?.() ?? [])).join('')).toContain(secret);
  });
});

test('a damaged text that a repair moved to quarantine is reported, because it cannot be searched', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: 'other-secret' }), newEvent('b', { note: `${secret} and more` })]);
  const database = new DatabaseSync(path);
  database.exec('UPDATE event SET packed = substr(packed, 1, length(packed) - 6) WHERE seq = 1');
  database.close();
  await repair(log);
  await log[Symbol.asyncDispose]();
  const damaged = {
    id: 'c',
    code: 'corrupt',
    message: 'The text of event 1 in the quarantine of conversation c is damaged, so it was not searched.',
  };
  expect(await scrub(store, { secrets: [secret], signer })).toEqual({ ...nothing, failed: [damaged] });
  const scrubbed = [{ conversation: 'c', seq: 0 }];
  expect(await scrub(store, { secrets: ['other-secret'], signer })).toEqual({
    ...nothing,
    scrubbed,
    failed: [damaged],
  });
});

/** Returns the ids and codes of the failed conversations, in order of id. */
const failedOf = ({ failed }: ScrubResult) => failed.map(({ id, code }) => `${id} ${code}`).toSorted();

/** Returns a store in which reading the logs of these conversations fails. */
function torn(store: EventStore, ids: readonly string[]): EventStore {
  const read = store.read.bind(store);
  store.read = async (id) => {
    const log = await read(id);
    const range = async function* range(): AsyncGenerator<Stored> {
      yield await log.at(0);
      throw new StorageError('corrupt', `Event 1 of conversation ${id} is missing.`);
    };
    return ids.includes(id) ? { ...log, range } : log;
  };
  return store;
}

test('a conversation with a secret in an id is reported and not changed, and all others are scrubbed', async () => {
  await using store = memoryStore();
  for (const id of ['a', 'c', 'z']) {
    await using log = await store.create(id, {});
    await log.append([newEvent('a', { note: secret }), ...(id === 'c' ? [newEvent(secret)] : [])]);
  }
  const result = await scrub(store, { secrets: [secret], signer });
  expect(failedOf(result)).toEqual(['c invalid']);
  expect(result.failed[0]?.message).toBe('The id, kind or parent id of event 1 of conversation c contains a secret.');
  expect(result.scrubbed.map(({ conversation }) => conversation).toSorted()).toEqual(['a', 'z']);
  expect((await (await store.read('c')).at(0)).text).toContain(secret);
  await (await store.open('c'))[Symbol.asyncDispose]();
});

test('conversations that cannot be read are reported with the reason, and all others are scrubbed', async () => {
  await using store = torn(memoryStore(), ['b', 'y']);
  for (const id of ['a', 'b', 'c', 'y', 'z']) {
    await using log = await store.create(id, {});
    await log.append([newEvent('a'), newEvent('b', { note: secret })]);
  }
  const result = await scrub(store, { secrets: [secret], signer });
  expect(failedOf(result)).toEqual(['b corrupt', 'y corrupt']);
  expect(result.scrubbed.map(({ conversation }) => conversation).toSorted()).toEqual(['a', 'c', 'z']);
});

test('a closed store and a bug end scrubbing', async () => {
  const store = memoryStore();
  await leaky(store, 'c');
  const read = store.read.bind(store);
  store.read = async () => {
    throw new TypeError('No function.');
  };
  await expect(scrub(store, { secrets: ['other-secret'], signer })).rejects.toThrow('No function.');
  store.read = async (id) => {
    await store[Symbol.asyncDispose]();
    return read(id);
  };
  await expect(scrub(store, { secrets: ['other-secret'], signer })).rejects.toMatchObject({ code: 'closed' });
});

test('a proof is read in pages, however many events contain the secret', async () => {
  await using store = memoryStore();
  const events = Array.from({ length: 300 }, (_, n) => newEvent(`${n}`, { note: secret }));
  await using log = await store.create('c', {});
  await log.append(events);
  await log[Symbol.asyncDispose]();
  const open = store.open.bind(store);
  let pages = 0;
  store.open = async (id) => {
    const held = await open(id);
    const { proof } = held;
    const page: LogProof['page'] = async (from, to) => ((pages += 1), (await proof?.page(from, to)) ?? []);
    return { ...held, ...(proof && { proof: { ...proof, page } }) };
  };
  expect((await scrub(store, { secrets: [secret], signer })).scrubbed).toHaveLength(300);
  expect(pages).toBeLessThan(10);
});
