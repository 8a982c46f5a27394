import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ed25519Signer, memoryStore, StorageError, verify } from '@varve/storage';
import type { EventStore, LogProof, LogReader, Stored } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { copyLog, exportBundle, importBundle, readBundle, scrub } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { newEvent, newEvents } from '../testing/events.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const trusted = [signer.did];

/** Every store: what is exported from one is imported into the next. */
const stores: Record<string, (path: string) => Promise<EventStore>> = {
  memory: async () => memoryStore(),
  sqlite: async (path) => sqliteStore({ path: join(path, 'store.db') }),
  directory: async (path) => directoryStore({ path, durability: 'buffered' }),
};

async function fill(store: EventStore, count: number): Promise<void> {
  await using log = await store.create('c', { title: 'é', workspace: '/srv/w' });
  await log.append([newEvent('a', { note: '\u2028"\\ 🧊' }), newEvent('b', { parentId: 'a' })], { signer });
  await log.append(newEvents(0, count));
  await log.append([], { signer });
}

async function bundleOf(store: EventStore): Promise<string> {
  return (await Array.fromAsync(exportBundle(await store.read('c'), await store.summary('c')))).join('');
}

async function* inChunks(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const pairs = Object.keys(stores).flatMap((from) => Object.keys(stores).map((to) => [from, to] as const));

describe.for(pairs)('from %s to %s', ([from, to]) => {
  test('a log keeps its bytes, proof and meta when copied directly and as a bundle', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using source = (await stores[from]?.(join(directory.path, 'from'))) ?? memoryStore();
    await fill(source, 30);
    const log = await source.read('c');
    const bundle = await bundleOf(source);
    await using target = (await stores[to]?.(join(directory.path, 'to'))) ?? memoryStore();
    const imported = await importBundle(inChunks(bundle), target, { trusted });
    const again = await target.read('c');
    expect(await Array.fromAsync(again.range(0))).toEqual(await Array.fromAsync(log.range(0)));
    expect(imported).toEqual(await verify(log, { trusted }));
    expect(imported).toMatchObject({ head: 32, signedEvents: 32, signers: { [signer.did]: 3 } });
    expect((await target.summary('c')).meta).toEqual({ title: 'é', workspace: '/srv/w' });
    expect((await bundleOf(target)).split('\n').slice(1)[3]).toBe(bundle.split('\n').slice(1)[3]);

    await target.remove('c');
    expect(await copyLog(log, target, { trusted })).toEqual(imported);
    await expect(copyLog(log, target)).rejects.toMatchObject({ code: 'exists' });
    expect(await verify(await target.read('c'), { trusted })).toEqual(imported);
    await using copy = await target.open('c');
    await copy.append([newEvent('after')], { signer });
    expect(await verify(copy, { trusted })).toMatchObject({ sealed: 33, signedEvents: 33 });
  });
});

/** Returns the log with a proof that runs the next of these actions after each page that is read. */
function withActions(log: LogReader, ...acts: readonly (() => Promise<unknown>)[]): LogReader {
  const { proof } = log;
  let pages = 0;
  const page: LogProof['page'] = async (from, to) => {
    const proofs = (await proof?.page(from, to)) ?? [];
    await acts[pages++]?.();
    return proofs;
  };
  return { ...log, ...(proof && { proof: { ...proof, page } }) };
}

test.for(Object.entries(stores))('scrubbing during an export breaks nothing: %s', async ([, open]) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using source = await open(directory.path);
  const secrets = ['first-secret', 'second-secret', 'third-secret'];
  const log = await source.create('c', {});
  await log.append([newEvent('a', { note: secrets.join() }), newEvent('b'), newEvent('c', { note: secrets.join() })]);
  await log.append(newEvents(0, 300), { signer });
  await log.append([newEvent('d', { note: secrets.join() })], { signer });
  await log[Symbol.asyncDispose]();
  const acts = secrets.map((secret) => async () => scrub(source, { secrets: [secret], signer }));
  const reader = withActions(await source.read('c'), ...acts);
  const bundle = await Array.fromAsync(exportBundle(reader, await source.summary('c')));
  await using target = memoryStore();
  const verdict = await importBundle(inChunks(bundle.join('')), target, { trusted });
  expect([verdict?.sealed, verdict?.signedEvents]).toEqual([304, 304]);
  // The first events were read before the scrub, the last one after it.
  expect(verdict?.tombstones.map(({ seq }) => seq)).toEqual([303]);
  const last = (await (await target.read('c')).at(303)).text;
  expect([last.includes('first-secret'), last.includes('*'.repeat(12))]).toEqual([false, true]);
});

test('a log with every event altered is exported unchanged, without reading its proof once per event', async () => {
  await using source = await filled();
  const log = await source.read('c');
  let pages = 0;
  const counted = withActions(log, ...Array.from({ length: 400 }, () => async () => (pages += 1)));
  const range = async function* range(): AsyncGenerator<Stored> {
    for await (const event of log.range(0)) yield { ...event, text: `${event.text} ` };
  };
  const bundle = await Array.fromAsync(exportBundle({ ...counted, range }, await source.summary('c')));
  expect(bundle).toHaveLength(304);
  expect(pages).toBeLessThan(10);
  const { log: read } = await readBundle(inChunks(bundle.join('')));
  expect((await verify(read)).broken).toMatchObject({ seq: 0, reason: 'altered' });
});

async function filled(): Promise<EventStore> {
  const store = memoryStore({ now: () => 1 });
  await fill(store, 300);
  return store;
}

/** Recomputes the checksum. */
function sealed(bundle: string): string {
  const lines = bundle.trimEnd().split('\n');
  const body = `${lines.slice(0, -1).join('\n')}\n`;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ ...JSON.parse(lines.at(-1) ?? ''), sha256 })}\n`;
}

const replaceLine = (bundle: string, at: number, change: (line: string) => string) =>
  bundle
    .split('\n')
    .map((line, index) => (index === at ? change(line) : line))
    .join('\n');

const damages: Record<string, readonly [(bundle: string) => string, string]> = {
  'one that is empty': [() => '', 'This is not a varve bundle.'],
  'another text': [() => 'hello', 'This is not a varve bundle.'],
  'another record': [() => '{}', 'This is not a varve bundle.'],
  'a line that is not a record': [
    (bundle) => replaceLine(bundle, 2, () => '7'),
    'The bundle has a line that is not a JSON object.',
  ],
  'bytes that are not UTF-8': [(bundle) => bundle, 'The bundle is not UTF-8.'],
  'one without its last line': [(bundle) => bundle.slice(0, bundle.lastIndexOf('{"end"')), 'The bundle is truncated.'],
  'one with lines after its end': [(bundle) => `${bundle}{}\n`, 'The bundle has lines after its checksum.'],
  'a changed event': [(bundle) => bundle.replace('"e7\\"', '"e8\\"'), 'The bundle was changed.'],
  'a changed event with a new checksum': [
    (bundle) => sealed(bundle.replace('"e7\\"', '"e8\\"')),
    'Event 9 of conversation c, or one before it, does not match its seal.',
  ],
  'one event removed, with a new checksum': [
    (bundle) => sealed(replaceLine(bundle, 5, () => '').replace('\n\n', '\n')),
    'The bundle has no event 4.',
  ],
  'a bad id': [
    (bundle) => sealed(bundle.replace('"id":"c"', '"id":"../c"')),
    'The bundle has no valid conversation id or times.',
  ],
  'a bad statement': [
    (bundle) => sealed(bundle.replace('"kind":"checkpoint"', '"kind":"check"')),
    'The bundle has an invalid proof for event 0.',
  ],
};

test.for(Object.entries(damages))(
  '%s is not imported and leaves no conversation',
  async ([name, [damage, message]]) => {
    await using source = await filled();
    await using store = memoryStore();
    const damaged = damage(await bundleOf(source));
    const chunks = name === 'bytes that are not UTF-8' ? [Uint8Array.from([0xff])] : [damaged];
    const importing = importBundle(
      (async function* generate() {
        yield* chunks;
      })(),
      store,
    );
    await expect(importing).rejects.toMatchObject({ code: 'corrupt', message });
    expect((await store.list()).items).toEqual([]);
  },
);

test.for([
  ['twice', (lines: string[], at: number) => lines.toSpliced(at, 0, lines[at] ?? '')],
  ['after a later one', (lines: string[], at: number) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? '')],
  ['after its own proof', (lines: string[], at: number) => lines.toSpliced(at, 0, about(at - 1, at - 1))],
  [
    'before a proof with a statement about another',
    (lines: string[], at: number) => lines.toSpliced(-2, 0, about(999, at)),
  ],
] as const)('a bundle with an event %s is not imported, whatever its checksum', async ([, change]) => {
  await using source = await filled();
  const bundle = await bundleOf(source);
  for (const at of [1, 2, 150, 300]) {
    const broken = sealed(change(bundle.split('\n'), at).join('\n'));
    await expect(readBundle(inChunks(broken, 1_000_000))).rejects.toMatchObject({ code: 'corrupt' });
  }
});

/** A line that contains a statement about an event, and nothing else. */
function about(line: number, seq: number): string {
  return JSON.stringify({ seq: line, statements: [{ kind: 'cut', seq, end: seq, cause: 'repaired', at: 1 }] });
}

test('a bundle of a newer version is invalid', async () => {
  await using source = await filled();
  const newer = sealed((await bundleOf(source)).replace('"version":1', '"version":2'));
  await expect(readBundle(inChunks(newer))).rejects.toMatchObject({ code: 'invalid' });
});

test('a bundle can be verified and read without a store, in chunks of any size', async () => {
  await using source = await filled();
  const bundle = await bundleOf(source);
  for (const size of [3, 1_000_000]) {
    const { log, meta } = await readBundle(inChunks(bundle, size));
    expect([(await verify(log, { trusted })).signedEvents, await log.seqOf('b')]).toEqual([302, 1]);
    expect(meta).toEqual({ title: 'é', workspace: '/srv/w' });
  }
});

test('importing may change meta, and does not overwrite', async () => {
  await using source = await filled();
  await using store = memoryStore();
  const bundle = await bundleOf(source);
  await importBundle(inChunks(bundle), store, { meta: () => 'other' });
  expect((await store.summary('c')).meta).toBe('other');
  await expect(importBundle(inChunks(bundle), store)).rejects.toMatchObject({ code: 'exists' });
  expect((await store.summary('c')).head).toBe(302);
});

test('a log without the required trusted signatures is refused', async () => {
  await using source = await filled();
  await using store = memoryStore();
  const importing = importBundle(inChunks(await bundleOf(source)), store, { trusted, mustBeSigned: () => true });
  await expect(importing).rejects.toMatchObject({ code: 'corrupt' });
});

/** A store of which the second append of a new log fails. */
function failingOver(target: EventStore): EventStore {
  return {
    create: async (id, meta) => {
      const log = await target.create(id, meta);
      let appends = 0;
      return {
        ...log,
        append: async (events, options) => {
          appends += 1;
          if (appends === 2) throw new StorageError('full', 'The disk is full.');
          return log.append(events, options);
        },
      };
    },
    open: async (id) => target.open(id),
    read: async (id) => target.read(id),
    list: async (query) => target.list(query),
    count: async (query) => target.count(query),
    summary: async (id) => target.summary(id),
    remove: async (id, options) => target.remove(id, options),
    [Symbol.asyncDispose]: async () => target[Symbol.asyncDispose](),
  };
}

test('a copy that fails leaves no conversation', async () => {
  await using source = await filled();
  const target = memoryStore();
  await expect(copyLog(await source.read('c'), failingOver(target))).rejects.toThrow('The disk is full.');
  expect((await target.list()).items).toEqual([]);
});

test('a copy that fails and cannot be removed reports why it failed', async () => {
  await using source = await filled();
  const target = {
    ...failingOver(memoryStore()),
    remove: async () => Promise.reject(new StorageError('held', 'The lease was not released.')),
  };
  const copying = copyLog(await source.read('c'), target);
  await expect(copying).rejects.toThrow('The disk is full.');
});

test.for(['missing', 'held', 'fenced', 'io'] as const)('a copy is removed if its log fails with %s', async (code) => {
  await using source = await filled();
  const { proof, ...log } = await source.read('c');
  expect(proof).toBeDefined();
  const failing = {
    ...log,
    range: async function* range() {
      yield await log.at(0);
      throw new StorageError(code, 'The log is gone.');
    },
  };
  await using store = memoryStore();
  await expect(copyLog(failing, store)).rejects.toMatchObject({ code });
  expect((await store.list()).items).toEqual([]);
});

test('a log with one id twice is not copied', async () => {
  await using source = await filled();
  const { proof, ...log } = await source.read('c');
  expect(proof).toBeDefined();
  const twice = {
    ...log,
    range: async function* range() {
      const event = await log.at(0);
      yield* [event, { ...event, seq: 1 }];
    },
  };
  await using store = memoryStore();
  await expect(copyLog(twice, store)).rejects.toMatchObject({ code: 'duplicate' });
  expect((await store.list()).items).toEqual([]);
});

test('a bundle is written in version 1, and version 1 can be read', async () => {
  await using source = memoryStore({ now: () => 1_750_000_000_000 });
  await fill(source, 1);
  await expect(await bundleOf(source)).toMatchFileSnapshot('golden/bundle-1.jsonl');
  const { log, createdAt } = await readBundle(createReadStream(join(import.meta.dirname, 'golden', 'bundle-1.jsonl')));
  const { broken, signedEvents } = await verify(log, { trusted });
  expect([broken, signedEvents, createdAt]).toEqual([undefined, 3, 1_750_000_000_000]);
});

const withoutProof = (line: string): string =>
  JSON.stringify({ ...JSON.parse(line), seal: undefined, statements: undefined, sealed: undefined });
const withoutStatements = (line: string): string => JSON.stringify({ ...JSON.parse(line), statements: undefined });

/** Changes the lines of a bundle from event `from` on, with a new checksum. */
function changed(bundle: string, change: (line: string) => string, from = 0): string {
  const lines = bundle.trimEnd().split('\n');
  return sealed(`${lines.map((line, index) => (index > from ? change(line) : line)).join('\n')}\n`);
}

test.for([
  ['all seals', (bundle: string) => changed(bundle, withoutProof)],
  ['the seals from event 3 on', (bundle: string) => changed(bundle, withoutProof, 3)],
  ['its signatures', (bundle: string) => changed(bundle, withoutStatements)],
] as const)('a signed bundle that lost %s is not imported with trusted keys', async ([, strip]) => {
  await using source = await filled();
  await using store = memoryStore();
  const importing = importBundle(inChunks(strip(await bundleOf(source))), store, { trusted });
  await expect(importing).rejects.toMatchObject({ code: 'corrupt' });
  expect((await store.list()).items).toEqual([]);
});

test.for(Object.entries(stores))('events imported without seals are recorded as such: %s', async ([, open]) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await using source = await filled();
  await using store = await open(directory.path);
  const verdict = await importBundle(inChunks(changed(await bundleOf(source), withoutProof, 3)), store);
  expect(verdict?.unsealed).toMatchObject([{ seq: 3, end: 302, cause: 'imported' }]);
  const { broken } = await verify(await store.read('c'), { requireSeals: true });
  expect(broken).toMatchObject({ seq: 3, reason: 'unsealed' });
  await using again = await store.open('c');
  expect((await verify(again)).unsealed).toHaveLength(1);
});

test.for(Object.entries(stores))(
  'an event can be appended before the lease of a copy is released: %s',
  async ([, open]) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await using source = await filled();
    await using store = await open(directory.path);
    const verdict = await importBundle(inChunks(await bundleOf(source)), store, {
      trusted,
      onCopied: async (copy) => copy.append([newEvent('import')], { expectedHead: 302 }),
    });
    expect(verdict?.head).toBe(302);
    expect(await verify(await store.read('c'), { trusted })).toMatchObject({
      head: 303,
      sealed: 303,
      signedEvents: 302,
    });
  },
);

test('a copy whose first append fails is removed', async () => {
  await using source = await filled();
  await using store = memoryStore();
  const importing = importBundle(inChunks(await bundleOf(source)), store, {
    onCopied: async () => expect.unreachable('no append'),
  });
  await expect(importing).rejects.toThrow('no append');
  expect((await store.list()).items).toEqual([]);
});

test('a line of any length is an error before it is complete', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  let sent = 0;
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      sent += 1;
      yield piece;
    }
  }
  await expect(importBundle(endless(), memoryStore())).rejects.toMatchObject({
    code: 'corrupt',
    message: 'The bundle has a line of more than 268435456 characters.',
  });
  expect(sent).toBe(257);
});
