import { appendFile, mkdtempDisposable, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { ed25519Signer, verify } from '@varve/storage/proof';
import { describe, expect, test } from 'vitest';
import { agentEvent } from '../agent-event.ts';

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const signer = ed25519Signer(new Uint8Array(32).fill(1));
const agentEvents = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => agentEvent(from + n));

/** Paths of a conversation's files to tamper with. */
interface Tampering {
  readonly events: string;
  readonly seals: string;
  /** Returns the path of an event's file. */
  readonly name: (seq: number) => string;
}

async function tampered(path: string, tamper: (files: Tampering) => Promise<unknown>) {
  const events = join(path, 'c', 'events');
  const names = (await readdir(events)).toSorted();
  await tamper({
    events,
    seals: join(path, 'c', '.varve', 'seals.jsonl'),
    name: (seq) => join(events, names[seq] ?? ''),
  });
  await using store = await directoryStore({ path });
  const { broken } = await verify(await store.read('c'), { trusted: [signer.did] });
  return [broken?.seq, broken?.reason];
}

async function writeLog(path: string): Promise<void> {
  await using store = await directoryStore({ path });
  const log = await store.create('c', {});
  await log.append(agentEvents(0, 3), { signer });
  await log.append(agentEvents(3, 6));
}

const numbered = (path: string, seq: number) => path.replace(/event-\d{5}/, `event-${String(seq).padStart(5, '0')}`);

const tamperings: Record<string, readonly [(files: Tampering) => Promise<unknown>, readonly unknown[]]> = {
  nothing: [async () => {}, [undefined, undefined]],
  'an edited event': [async ({ name }) => appendFile(name(3), ' '), [3, 'altered']],
  'a deleted event': [async ({ name }) => rm(name(3)), [3, 'lost']],
  'a deleted event whose gap was closed': [
    async ({ name }) => {
      await rm(name(3));
      for (const seq of [4, 5]) await rename(name(seq), numbered(name(seq), seq - 1));
    },
    [3, 'altered'],
  ],
  'an inserted event': [
    async ({ name }) => {
      for (const seq of [5, 4, 3]) await rename(name(seq), numbered(name(seq), seq + 1));
      const { text, id } = agentEvent(77);
      await writeFile(name(3).replace(agentEvent(3).id, id), text);
    },
    [3, 'altered'],
  ],
  'two events exchanged': [
    async ({ name }) => {
      await rename(name(3), numbered(name(3), 4));
      await rename(name(4), numbered(name(4), 3));
    },
    [3, 'altered'],
  ],
  'a cut end': [async ({ name }) => Promise.all([3, 4, 5].map((seq) => rm(name(seq)))), [3, 'lost']],
  'an event in place of another': [async ({ name }) => writeFile(name(3), agentEvent(4).text), [3, 'altered']],
  'a removed seal': [
    async ({ seals }) => {
      const lines = (await readFile(seals, 'utf8')).split('\n');
      await writeFile(seals, lines.filter((line) => !line.startsWith('{"seq":3')).join('\n'));
    },
    [3, 'unsealed'],
  ],
  'an edited checkpoint': [
    async ({ seals }) => {
      const text = await readFile(seals, 'utf8');
      await writeFile(seals, text.replace('"kind":"checkpoint","seq":1', '"kind":"checkpoint","seq":2'));
    },
    [2, 'signature'],
  ],
};

describe.for(Object.entries(tamperings))('%s', ([, [tamper, expected]]) => {
  test('is found', async () => {
    await using directory = await temporary();
    await writeLog(directory.path);
    expect(await tampered(directory.path, tamper)).toEqual(expected);
  });
});

async function verdict(path: string) {
  await using store = await directoryStore({ path });
  return await verify(await store.read('c'), { trusted: [signer.did] });
}

test('a log without seals is sealed when it is opened for writing, not when it is read', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  const { seal } = await verdict(path);
  await rm(join(path, 'c', '.varve', 'seals.jsonl'));
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 0, signedEvents: 0, seal });
  await using store = await directoryStore({ path });
  await (await store.open('c'))[Symbol.asyncDispose]();
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 6, seal });
});

test('events appended by another program are sealed by the next append', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await using store = await directoryStore({ path });
  const log = await store.open('c');
  const { id, text } = agentEvent(6);
  await writeFile(join(path, 'c', 'events', `event-00006-${id}.json`), text);
  await expect(log.append([agentEvent(7)])).rejects.toMatchObject({ code: 'conflict' });
  await log.append([agentEvent(7)], { signer });
  const found = await verdict(path);
  expect([found.head, found.sealed, found.signedEvents, found.broken]).toEqual([8, 8, 8, undefined]);
});

test('a signer that throws leaves the event stored and readable, and later seals are valid', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await using store = await directoryStore({ path });
  const log = await store.create('c', {});
  const failing = { did: signer.did, sign: () => expect.unreachable('no key') };
  await expect(log.append([agentEvent(0)], { signer: failing })).rejects.toThrow('no key');
  const { id, text } = agentEvent(1);
  await writeFile(join(path, 'c', 'events', `event-00001-${id}.json`), text);
  expect(await log.head()).toBe(2);
  await expect(log.append([agentEvent(2)])).rejects.toMatchObject({ code: 'conflict' });
  await log.append([agentEvent(2)], { signer });
  expect(await verdict(path)).toMatchObject({ head: 3, sealed: 3, signedEvents: 3 });
});

test('a line torn by a crash is ignored, and the next line is complete', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  const seals = join(path, 'c', '.varve', 'seals.jsonl');
  await writeFile(seals, (await readFile(seals, 'utf8')).slice(0, -30));
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 5 });
  await using store = await directoryStore({ path });
  await (await store.open('c')).append([agentEvent(6)]);
  const found = await verdict(path);
  expect([found.sealed, found.broken]).toEqual([7, undefined]);
});

test.for([
  ['half a seal', { seq: 5, seal: 'abc' }],
  ['a seal of no event', { seq: -5, seal: '0'.repeat(64) }],
  ['a seal between two events', { seq: 2.5, seal: '0'.repeat(64) }],
])('a line with %s is ignored, and later events are sealed', async ([, line]) => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await appendFile(join(path, 'c', '.varve', 'seals.jsonl'), `${JSON.stringify(line)}\n`);
  await using store = await directoryStore({ path });
  await (await store.open('c')).append([agentEvent(6)]);
  const found = await verdict(path);
  expect([found.head, found.sealed, found.broken]).toEqual([7, 7, undefined]);
});

test('seals replaced by zeros in a power failure are computed again when the log is opened', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  const seals = join(path, 'c', '.varve', 'seals.jsonl');
  const lines = (await readFile(seals, 'utf8')).split('\n');
  const lost = lines.map((line) => (/^\{"seq":[23]/.test(line) ? '\0'.repeat(line.length) : line));
  await writeFile(seals, lost.join('\n'));
  expect((await verdict(path)).broken).toMatchObject({ seq: 2, reason: 'unsealed' });
  const opened = async () => {
    await using store = await directoryStore({ path });
    await (await store.open('c'))[Symbol.asyncDispose]();
    return readFile(seals);
  };
  expect(await opened()).toEqual(await opened());
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 6, signedEvents: 3 });
});

test('a record of a lost end that was torn by a crash is written again', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await tampered(path, async ({ name }) => rm(name(5)));
  const opened = async () => {
    await using store = await directoryStore({ path });
    await (await store.open('c'))[Symbol.asyncDispose]();
  };
  await opened();
  const seals = join(path, 'c', '.varve', 'seals.jsonl');
  const text = await readFile(seals, 'utf8');
  await writeFile(seals, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 5));
  await opened();
  const { broken, cuts } = await verdict(path);
  expect([broken?.seq, broken?.reason, new Set(cuts.map(({ end }) => end))]).toEqual([5, 'lost', new Set([6])]);
});

test('a log that lost its end accepts appends and keeps the record of the loss', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await tampered(path, async ({ name }) => Promise.all([4, 5].map((seq) => rm(name(seq)))));
  for (const turn of [0, 1]) {
    await using store = await directoryStore({ path });
    await (await store.open('c')).append([agentEvent(10 + turn)], { signer });
  }
  const { broken, cuts, head } = await verdict(path);
  expect([head, broken?.seq, broken?.reason, cuts.length]).toEqual([5, 4, 'lost', 1]);
  expect(cuts[0]).toMatchObject({ seq: 4, end: 6, cause: 'found' });
  // Everything but the lost end is sealed and valid.
  const lines = (await readFile(join(path, 'c', '.varve', 'seals.jsonl'), 'utf8')).replace('"found"', '"repaired"');
  await writeFile(join(path, 'c', '.varve', 'seals.jsonl'), lines);
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 6, signedEvents: 6 });
});

test('a log that lost its end and its seals is sealed again', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await tampered(path, async ({ name, seals }) => {
    await rm(name(5));
    const lines = (await readFile(seals, 'utf8')).split('\n');
    await writeFile(seals, lines.slice(-2).join('\n'));
  });
  await using store = await directoryStore({ path });
  await (await store.open('c')).append([agentEvent(9)]);
  const { broken, cuts } = await verdict(path);
  expect([broken?.seq, broken?.reason, cuts.length]).toEqual([5, 'lost', 1]);
});

test('seals are written in format version 1', async () => {
  await using directory = await temporary();
  await using store = await directoryStore({ path: directory.path, now: () => 1_750_000_000_000 });
  const log = await store.create('c', {});
  await log.append([agentEvent(0)]);
  await log.append([agentEvent(1), agentEvent(2)], { signer });
  await log.proof?.cut(1);
  await log.append([], { signer });
  const text = await readFile(join(directory.path, 'c', '.varve', 'seals.jsonl'), 'utf8');
  await expect(text).toMatchFileSnapshot('golden/seals.jsonl');
  expect((await verify(log, { trusted: [signer.did] })).signedEvents).toBe(1);
});
