import { appendFile, mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventLog, StorageError, ed25519Signer, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { repair } from '@varve/storage/maintenance';
import { array, assert, asyncProperty, boolean, constantFrom, integer, record, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { eventName } from '../../src/directory/layout/event-file.ts';
import { sealEvents } from '../../src/proof/seal-events.ts';
import { firstSeal } from '../../src/proof/hash-chain.ts';
import { agentEvent } from '../agent-event.ts';

const length = 6;
const signer = ed25519Signer(new Uint8Array(32).fill(1));
const events = Array.from({ length }, (_, n) => agentEvent(n));

/** A closed log of six events, the first three of them signed, and its files. */
async function closedLog() {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const open = async () => directoryStore({ path: root.path, durability: 'buffered' });
  await using store = await open();
  const log = await store.create('c', {});
  await log.append(events.slice(0, 3), { signer });
  await log.append(events.slice(3));
  const path = join(root.path, 'c');
  const event = (seq: number): string => join(path, 'events', eventName({ seq, slug: agentEvent(seq).id }));
  const seals = join(path, '.varve', 'seals.jsonl');
  return { path, event, seals, open, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

type Files = Awaited<ReturnType<typeof closedLog>>;

/** Removes the record of a clean close, as if the process had been killed. */
async function kill({ path }: Files): Promise<void> {
  for (const name of await readdir(join(path, '.varve'), { recursive: true })) {
    if (name.endsWith('released')) await writeFile(join(path, '.varve', name), '');
  }
}

/** Opens and appends as a resumed agent would, and returns the verdict then. */
async function resumed({ open }: Files) {
  await using store = await open();
  const log = await store.open('c').catch((error: unknown) => error);
  const refused = log instanceof StorageError ? log.code : undefined;
  if (refused === undefined) {
    await using opened = log as EventLog;
    await opened.append([agentEvent(20)]);
  }
  return { refused, verdict: await verify(await store.read('c')) };
}

const statements = constantFrom(
  { void: 0 },
  { kind: 'cut', seq: 0, end: length, cause: 'repaired', at: 1 },
  { kind: 'cut', seq: 2, end: length, cause: 'repaired', at: 1 },
  { void: 2 },
  { kind: 'unsealed', seq: 0, end: 0, cause: 'accepted', at: 1 },
  { seq: 4, seal: '0'.repeat(64) },
  { seq: length - 1, seal: '0'.repeat(64) },
);

/** Changes of `seals.jsonl` that need no hash. */
const edits = record({
  from: integer({ min: 0, max: 10 }),
  count: integer({ min: 0, max: 10 }),
  added: array(statements, { maxLength: 4 }),
  isTorn: boolean(),
});

test('no edit of the seals makes an edited event pass as one that was sealed when it was appended', async () => {
  const seqs = integer({ min: 0, max: length - 1 });
  await assert(
    asyncProperty(seqs, edits, boolean(), async (seq, { from, count, added, isTorn }, isKilled) => {
      await using files = await closedLog();
      if (isKilled) await kill(files);
      await appendFile(files.event(seq), ' ');
      const lines = (await readFile(files.seals, 'utf8')).trimEnd().split('\n').toSpliced(from, count);
      const text = [...lines, ...added.map((line) => JSON.stringify(line))].join('\n');
      await writeFile(files.seals, isTorn ? text : `${text}\n`);
      const { verdict } = await resumed(files);
      const isNamed = verdict.unsealed.some((range) => range.seq <= seq && seq < range.end);
      expect(verdict.broken !== undefined || isNamed, JSON.stringify(verdict)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

/** Returns seals of the events as they are now. */
async function computedAgain({ event }: Files): Promise<string> {
  const texts = await Promise.all(events.map(async (_, seq) => readFile(event(seq), 'utf8')));
  const planned = events.map((plan, seq) => ({ ...plan, seq, text: texts[seq] ?? '' }));
  const made = sealEvents(planned, { conversation: 'c', previous: firstSeal('c'), at: 1 });
  return made.seals.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const resets: Record<string, (files: Files) => Promise<unknown>> = {
  'removed seals': async ({ seals }) => rm(seals),
  'emptied seals': async ({ seals }) => writeFile(seals, ''),
  'seals without their end': async ({ seals }) => writeFile(seals, (await readFile(seals, 'utf8')).slice(0, -200)),
  'seals cut to their first line': async ({ seals }) => {
    await writeFile(seals, `${(await readFile(seals, 'utf8')).split('\n')[0]}\n`);
  },
  'a forged cut': async ({ seals }) => {
    await appendFile(seals, '{"kind":"cut","seq":0,"end":6,"cause":"repaired","at":1}\n{"void":0}\n');
  },
  'removed seals and lease': async (files) => {
    await rm(files.seals);
    await kill(files);
  },
  'seals computed again': async (files) => writeFile(files.seals, await computedAgain(files)),
  'seals computed again, before the old ones': async (files) => {
    await writeFile(files.seals, `${await computedAgain(files)}${await readFile(files.seals, 'utf8')}`);
  },
};

test.for(Object.entries(resets))('%s are reported, and refused until they are accepted', async ([, reset]) => {
  await using files = await closedLog();
  await appendFile(files.event(4), ' ');
  await reset(files);
  await using store = await files.open();
  const reader = await store.read('c');
  expect((await verify(reader)).broken).toBeDefined();
  for (const turn of [1, 2]) await expect(store.open('c'), `${turn}`).rejects.toMatchObject({ code: 'unsealed' });
  {
    await using log = await store.open('c', { purpose: 'repair' });
    await expect(log.append([agentEvent(20)])).rejects.toMatchObject({ code: 'unsealed' });
    expect((await repair(log)).accepted).toEqual([]);
    await expect(log.append([agentEvent(20)])).rejects.toMatchObject({ code: 'unsealed' });
    const [accepted] = (await repair(log, { acceptUnsealed: true })).accepted;
    expect(accepted).toMatchObject({ end: length, cause: 'accepted' });
    expect(accepted?.seq).toBeLessThanOrEqual(4);
    expect(await log.append([agentEvent(20)])).toEqual([length]);
  }
  const verdict = await verify(reader, { requireSeals: true });
  expect([verdict.broken, verdict.sealed, verdict.unsealed.length]).toEqual([undefined, length + 1, 1]);
  expect((await verify(reader, { trusted: [signer.did], requireSigned: true })).broken?.reason).toBe('unsigned');
  await (await store.open('c'))[Symbol.asyncDispose]();
});

test('seals that were computed again, before the old ones, are refused also after a crash', async () => {
  await using files = await closedLog();
  {
    await using store = await files.open();
    await using log = await store.open('c');
    await log.append([agentEvent(length)]);
  }
  await kill(files);
  await appendFile(files.event(4), ' ');
  await writeFile(files.seals, `${await computedAgain(files)}${await readFile(files.seals, 'utf8')}`);
  expect(await resumed(files)).toMatchObject({ refused: 'unsealed', verdict: { broken: { reason: 'altered' } } });
});

const isSeal = (line: string): boolean => line.startsWith('{"seq":');

test('a log that lost any of its seals is refused until that is accepted', async () => {
  const lost = uniqueArray(integer({ min: 0, max: length - 1 }), { minLength: 1 });
  await assert(
    asyncProperty(lost, boolean(), async (seqs, isKilled) => {
      await using files = await closedLog();
      const lines = (await readFile(files.seals, 'utf8')).split('\n');
      const isLost = (line: string): boolean => seqs.some((seq) => isSeal(line) && line.startsWith(`{"seq":${seq},`));
      await writeFile(files.seals, lines.filter((line) => !isLost(line)).join('\n'));
      // Without the record of the end, the last events count as unsealed by a crash.
      const isMiddle = lines
        .filter((line) => isSeal(line))
        .some((line, seq) => !isLost(line) && seq > Math.min(...seqs));
      if (isKilled && isMiddle) await kill(files);
      await using store = await files.open();
      expect((await verify(await store.read('c'))).broken).toMatchObject({ reason: 'unsealed' });
      await expect(store.open('c')).rejects.toMatchObject({ code: 'unsealed' });
      await using log = await store.open('c', { purpose: 'repair' });
      expect((await repair(log, { acceptUnsealed: true })).accepted).toMatchObject([{ seq: Math.min(...seqs) }]);
      expect(await log.append([agentEvent(20)])).toEqual([length]);
      expect((await verify(log)).sealed).toBe(length + 1);
    }),
    { numRuns: 20 },
  );
});

test('a log that a repair ends before a lost seal is continued without an acceptance', async () => {
  await using files = await closedLog();
  const lines = (await readFile(files.seals, 'utf8')).split('\n');
  await writeFile(files.seals, lines.filter((line) => !line.startsWith('{"seq":3,')).join('\n'));
  await using store = await files.open();
  await using log = await store.open('c', { purpose: 'repair' });
  expect((await repair(log, { from: 2 })).cut).toMatchObject({ seq: 2, end: length });
  for (const seq of [2, 3, 4]) expect(await log.append([agentEvent(20 + seq)])).toEqual([seq]);
  expect((await verify(log, { requireSeals: true })).sealed).toBe(5);
});

const rewritings: Record<string, (text: string) => string> = {
  'without its last line feed': (text) => text.trimEnd(),
  'with other line ends': (text) => text.replaceAll('\n', '\r\n'),
  'with blank lines': (text) => text.replaceAll('\n', '\n\n'),
  'with blanks in its lines': (text) => text.replaceAll('":', '": ').replaceAll('\n', ' \n'),
  'with a blank after its last line': (text) => text.replace(/\n$/, ' \n'),
  'in another order': (text) => `${text.trimEnd().split('\n').toReversed().join('\n')}\n`,
  'with a copy of an earlier line': (text) => `${text}${text.split('\n').find((line) => isSeal(line))}\n`,
  'with another seal of an earlier event': (text) => `${text}{"seq":2,"seal":"${'0'.repeat(64)}"}\n`,
  'with a seal of an event that no log can have': (text) =>
    `${text}{"seq":${Number.MAX_SAFE_INTEGER},"seal":"${'0'.repeat(64)}"}\n`,
};

test.for(Object.entries(rewritings))(
  'a file of seals %s is complete, and the log is continued',
  async ([, rewrite]) => {
    await using files = await closedLog();
    await writeFile(files.seals, rewrite(await readFile(files.seals, 'utf8')));
    await using store = await files.open();
    expect((await verify(await store.read('c'), { requireSeals: true })).broken).toBeUndefined();
    const { refused, verdict } = await resumed(files);
    expect([refused, verdict.broken, verdict.sealed, verdict.unsealed]).toEqual([undefined, undefined, length + 1, []]);
  },
);

test('the seal of a later event, anywhere in the file, is a loss that is refused until it is repaired', async () => {
  const places = integer({ min: 1, max: 10 });
  await assert(
    asyncProperty(places, integer({ min: length, max: length + 3 }), async (at, seq) => {
      await using files = await closedLog();
      const lines = (await readFile(files.seals, 'utf8')).split('\n');
      await writeFile(files.seals, lines.toSpliced(at, 0, `{"seq":${seq},"seal":"${'0'.repeat(64)}"}`).join('\n'));
      await using store = await files.open();
      const reader = await store.read('c');
      expect((await verify(reader)).broken?.reason).toBe('lost');
      expect(await reader.loss?.()).toMatchObject({ seq: length });
      await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
      await using log = await store.open('c', { purpose: 'repair' });
      // The log loses nothing that it has, whatever the person names.
      expect((await repair(log, { from: length + 1 })).cut).toMatchObject({ seq: length, end: seq + 1 });
      expect(await log.append([agentEvent(20)])).toEqual([length]);
      expect(await verify(reader)).toMatchObject({ head: length + 1, sealed: length + 1 });
    }),
    { numRuns: 15 },
  );
});

test('a log without any file of varve counts as sealed once if it contains a fact of varve', async () => {
  await using files = await closedLog();
  await using store = await files.open();
  {
    const log = await store.create('facts', {});
    const value = { kind: 'ConversationStateUpdateEvent', key: 'varve.run', value: { id: 'x' } };
    const event = { ...agentEvent(0), kind: value.kind };
    const text = JSON.stringify({ ...JSON.parse(event.text), ...value });
    await log.append([{ ...event, parentId: undefined, text }, agentEvent(1)]);
    await log[Symbol.asyncDispose]();
  }
  await rm(join(files.path, '..', 'facts', '.varve'), { recursive: true });
  expect((await verify(await store.read('facts'))).broken).toMatchObject({ seq: 0, reason: 'unsealed' });
  await expect(store.open('facts')).rejects.toMatchObject({ code: 'unsealed' });
});

test('a log of another program is sealed when it is opened, and is named as such', async () => {
  await using files = await closedLog();
  await rm(join(files.path, '.varve'), { recursive: true });
  await using store = await files.open();
  const before = await verify(await store.read('c'));
  expect([before.broken, before.sealed, before.proven.excludes]).toEqual([undefined, 0, 'nothing']);
  const { refused, verdict } = await resumed(files);
  expect([refused, verdict.sealed]).toEqual([undefined, length + 1]);
  expect(verdict.unsealed).toMatchObject([{ seq: 0, end: length, cause: 'found' }]);
});

test('events that another program added are continued, and named until they are accepted', async () => {
  await using files = await closedLog();
  await writeFile(files.event(length), agentEvent(length).text);
  await using store = await files.open();
  const reader = await store.read('c');
  expect((await reader.at(length)).text).toBe(agentEvent(length).text);
  expect(await verify(reader)).toMatchObject({ head: length + 1, sealed: length });
  expect((await verify(reader, { requireSeals: true })).broken).toMatchObject({ seq: length, reason: 'unsealed' });
  const { refused, verdict } = await resumed(files);
  expect([refused, verdict.broken, verdict.sealed]).toEqual([undefined, undefined, length + 2]);
  expect(verdict.unsealed).toMatchObject([{ seq: length, end: length + 1, cause: 'found' }]);
  expect((await verify(reader, { requireSeals: true })).broken).toMatchObject({ seq: length, reason: 'unsealed' });
  await using log = await store.open('c');
  expect((await repair(log, { acceptUnsealed: true })).accepted).toMatchObject([{ seq: length, end: length + 1 }]);
  expect((await verify(reader, { requireSeals: true })).broken).toBeUndefined();
});

test.for([0, 3])('a line that revokes seals from %i on does not count without its statement', async (seq) => {
  await using files = await closedLog();
  await kill(files);
  await appendFile(files.event(4), ' ');
  await appendFile(files.seals, `{"void":${seq}}\n`);
  const { refused, verdict } = await resumed(files);
  expect([refused, verdict.broken?.seq, verdict.broken?.reason]).toEqual([undefined, 4, 'altered']);
});

test.for([1, 2, 5])('seals that a stopped holder writes again after a takeover change nothing: %i', async (count) => {
  await using files = await closedLog();
  const lines = (await readFile(files.seals, 'utf8')).split('\n').filter((line) => line.includes('"seal"'));
  const seals = lines.filter((line) => !line.includes('checkpoint')).slice(0, count);
  for (const isKilled of [false, true]) {
    await appendFile(files.seals, `${seals.join('\n')}\n`);
    if (isKilled) await kill(files);
    await using store = await files.open();
    await using log = await store.open('c');
    expect(await verify(log, { requireSeals: true })).toMatchObject({ sealed: length, unsealed: [] });
  }
});
