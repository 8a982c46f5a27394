import { appendFile, mkdtempDisposable, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { repair } from '@varve/storage/maintenance';
import { ed25519Signer, verify } from '@varve/storage';
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

/** Removes the record of a clean close, as if the process had been killed. */
async function kill(path: string): Promise<void> {
  const directory = join(path, 'c', '.varve');
  for (const name of await readdir(directory, { recursive: true })) {
    if (name.endsWith('released')) await writeFile(join(directory, name), '');
  }
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
  const result = await verdict(path);
  expect([result.head, result.sealed, result.signedEvents, result.broken]).toEqual([8, 8, 8, undefined]);
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
  await kill(path);
  const seals = join(path, 'c', '.varve', 'seals.jsonl');
  await writeFile(seals, (await readFile(seals, 'utf8')).slice(0, -30));
  expect(await verdict(path)).toMatchObject({ head: 6, sealed: 5 });
  await using store = await directoryStore({ path });
  await (await store.open('c')).append([agentEvent(6)]);
  const result = await verdict(path);
  expect([result.sealed, result.broken]).toEqual([7, undefined]);
  expect(result.unsealed).toMatchObject([{ seq: 5, end: 6, cause: 'found' }]);
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
  const result = await verdict(path);
  expect([result.head, result.sealed, result.broken]).toEqual([7, 7, undefined]);
});

test('seals replaced by zeros in a power failure are computed again when the log is opened', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  await kill(path);
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

test('a cut that an older version found when it opened the log is open until it is repaired', async () => {
  await using directory = await temporary();
  const { path } = directory;
  await writeLog(path);
  const cut = { kind: 'cut', seq: 6, end: 8, cause: 'found', at: 1 };
  await appendFile(join(path, 'c', '.varve', 'seals.jsonl'), `${JSON.stringify(cut)}\n{"void":6}\n`);
  expect((await verdict(path)).broken).toMatchObject({ seq: 6, reason: 'lost' });
  await using store = await directoryStore({ path });
  const log = await store.open('c');
  await log.append([agentEvent(9)]);
  expect((await repair(log)).resolved).toMatchObject([cut]);
  expect(await verdict(path)).toMatchObject({ head: 7, sealed: 7, cuts: [cut, { seq: 6, cause: 'repaired' }] });
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
