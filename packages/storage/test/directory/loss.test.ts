import { mkdtempDisposable, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { repair } from '@varve/storage/maintenance';
import { assert, asyncProperty, constantFrom, integer, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventName } from '../../src/directory/layout/event-file.ts';
import { idsOf, newEvent } from '../../src/testing/events.ts';
import { agentEvent } from '../agent-event.ts';

const length = 8;
const idAt = (n: number): string => agentEvent(n).id;
const idsBefore = (seq: number): readonly string[] => Array.from({ length: seq }, (_, n) => idAt(n));

/** A closed log of eight events whose files a test may damage. */
async function closedLog() {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const open = async (): Promise<EventStore> => directoryStore({ path: root.path, durability: 'buffered' });
  await using store = await open();
  const log = await store.create('c', {});
  await log.append(Array.from({ length }, (_, n) => agentEvent(n)));
  for (const seq of [2, 5, length]) await log.snapshots.save('view', { seq, state: seq });
  const events = join(root.path, 'c', 'events');
  const event = (n: number, id = idAt(n)): string => join(events, eventName({ seq: n, slug: id }));
  return { path: join(root.path, 'c'), events, event, open, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

type Files = Awaited<ReturnType<typeof closedLog>>;

/** Expects the loss to be reported and refused, and a repair to end the log before it and to keep the rest. */
async function expectLoss(files: Files, loss: { readonly seq: number; readonly head?: number; readonly kept: number }) {
  const { seq, head = seq, kept } = loss;
  await using store = await files.open();
  const reader = await store.read('c');
  const reported = await reader.loss?.();
  expect(reported).toMatchObject({ seq, kept });
  expect(await idsOf(reader.range(0))).toEqual(idsBefore(head));
  const before = (await readdir(files.events)).toSorted();
  for (const turn of [1, 2]) {
    await expect(store.open('c'), `turn ${turn}`).rejects.toMatchObject({
      code: 'incomplete',
      message: reported?.message,
    });
  }
  expect((await readdir(files.events)).toSorted()).toEqual(before);
  const log = await store.open('c', { purpose: 'repair' });
  await expect(log.append([agentEvent(50)])).rejects.toMatchObject({ code: 'incomplete' });
  const repaired = await repair(log);
  expect(repaired).toMatchObject({ loss: reported, cut: { seq: head, cause: 'repaired' } });
  expect((await readdir(files.events)).toSorted()).toEqual(
    idsBefore(head).map((id, n) => eventName({ seq: n, slug: id })),
  );
  const quarantined = kept === 0 ? [] : await readdir(join(files.path, '.varve', 'quarantine'));
  expect(quarantined).toHaveLength(kept);
  expect((await log.snapshots.latest('view'))?.seq ?? 0).toBeLessThanOrEqual(head);
  expect(await log.append([agentEvent(50)], { expectedHead: head })).toEqual([head]);
  expect(await reader.loss?.()).toBeUndefined();
  expect(await verify(reader)).toMatchObject({ head: head + 1, sealed: head + 1, cuts: [{ seq: head }] });
  await log[Symbol.asyncDispose]();
  await (await store.open('c'))[Symbol.asyncDispose]();
}

describe('a loss of sealed events', () => {
  test('is reported and refused for any events that are missing', async () => {
    const lost = uniqueArray(integer({ min: 0, max: length - 1 }), { minLength: 1, maxLength: 5 });
    await assert(
      asyncProperty(lost, async (seqs) => {
        await using files = await closedLog();
        for (const seq of seqs) await rm(files.event(seq));
        const first = Math.min(...seqs);
        await expectLoss(files, { seq: first, kept: length - first - seqs.length });
      }),
      { numRuns: 12 },
    );
  });

  test('is reported and refused for any unreadable events at the end', async () => {
    const contents = constantFrom('', '[]', '{"id":', '\0\0\0', 'x'.repeat(5000));
    await assert(
      asyncProperty(integer({ min: 1, max: length }), contents, async (count, content) => {
        await using files = await closedLog();
        for (let seq = length - count; seq < length; seq += 1) await writeFile(files.event(seq), content);
        await expectLoss(files, { seq: length - count, kept: count });
      }),
      { numRuns: 8 },
    );
  });

  test('is reported and refused if a gap follows an unreadable event', async () => {
    await using files = await closedLog();
    await writeFile(files.event(3), '');
    await rm(files.event(4));
    await expectLoss(files, { seq: 3, kept: 4 });
  });

  test.for([1, length - 1])('is reported and refused if two files have the index %i', async (seq) => {
    await using files = await closedLog();
    const id = 'ffffffff-0000-4000-8000-000000000000';
    await writeFile(files.event(seq, id), JSON.stringify({ ...JSON.parse(agentEvent(seq).text), id }));
    await expectLoss(files, { seq, head: length, kept: 1 });
  });

  test('is reported and refused if a file was renamed to a later index', async () => {
    await using files = await closedLog();
    await rename(files.event(6), files.event(9, idAt(6)));
    await expectLoss(files, { seq: 6, kept: 2 });
  });
});

test('an unreadable event inside the log is returned unchanged, and reported once it was read, also by a repair', async () => {
  await using files = await closedLog();
  await writeFile(files.event(3), '{"id":');
  await using store = await files.open();
  const reader = await store.read('c');
  expect(await reader.loss?.()).toBeUndefined();
  expect((await Array.fromAsync(reader.range(0)))[3]?.text).toBe('{"id":');
  const loss = { seq: 3, end: length, reason: 'unreadable', place: files.event(3) };
  expect(await reader.loss?.()).toMatchObject(loss);
  await using other = await files.open();
  await using log = await other.open('c', { purpose: 'repair' });
  expect(await repair(log)).toMatchObject({ loss, resolved: [], accepted: [] });
});

test('a truncated event with a sidecar is reported and refused', async () => {
  await using files = await closedLog();
  {
    await using store = await files.open();
    await (await store.open('c')).append([newEvent('odd', { text: 'whole' })]);
  }
  const name = (await readdir(files.events)).find((other) => other.startsWith('event-00008')) ?? '';
  await writeFile(join(files.events, name), 'whol');
  await expectLoss(files, { seq: length, kept: 1 });
});

test('a gap in a log that only another program wrote is a loss', async () => {
  await using files = await closedLog();
  await rm(join(files.path, '.varve'), { recursive: true });
  await rm(files.event(5));
  await using store = await files.open();
  expect(await (await store.read('c')).loss?.()).toMatchObject({ seq: 5, end: length, kept: 2 });
  await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
});

test('a gap among events that another program added after the log was closed is a loss', async () => {
  await using files = await closedLog();
  for (const seq of [8, 10]) await writeFile(files.event(seq), agentEvent(seq).text);
  await using store = await files.open();
  expect(await (await store.read('c')).loss?.()).toMatchObject({ seq: 9, end: 11, kept: 1 });
  await expect(store.open('c')).rejects.toMatchObject({ code: 'incomplete' });
});

test('a reader of a log that is being written finds no loss', async () => {
  await using files = await closedLog();
  await using store = await files.open();
  await using other = await files.open();
  const log = await store.open('c');
  const reader = await other.read('c');
  for (let turn = 0; turn < 20; turn += 1) {
    const seq = length + turn * 4;
    const appended = log.append(Array.from({ length: 4 }, (_, n) => agentEvent(seq + n)));
    expect(await reader.loss?.()).toBeUndefined();
    await appended;
    expect(await reader.loss?.()).toBeUndefined();
  }
});
