import { mkdtempDisposable, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EventStore, memoryStore, ed25519Signer, verify } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { repair } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { describe, expect, test } from 'vitest';
import { agentEvent } from '../../test/agent-event.ts';
import { idsOf } from '../testing/events.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const trusted = [signer.did];
const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const events = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => agentEvent(from + n));
const ids = (...numbers: number[]) => numbers.map((n) => agentEvent(n).id);

const stores: Record<string, (path: string) => Promise<EventStore>> = {
  memory: async () => memoryStore(),
  sqlite: async (path) => sqliteStore({ path: join(path, 'store.db') }),
  directory: async (path) => directoryStore({ path }),
};

describe.for(Object.entries(stores))('in the store %s', ([, open]) => {
  test('an intact log is not changed', async () => {
    await using directory = await temporary();
    await using store = await open(directory.path);
    const log = await store.create('c', {});
    await log.append(events(0, 3), { signer });
    const before = await verify(log, { trusted });
    expect(await repair(log)).toEqual({ resolved: [], accepted: [] });
    expect(await verify(log, { trusted })).toEqual(before);
  });

  test('a log ends where it is cut, with its proof, and accepts appends', async () => {
    await using directory = await temporary();
    await using store = await open(directory.path);
    const log = await store.create('c', {});
    await log.append(events(0, 6), { signer });
    for (const seq of [2, 5]) await log.snapshots.save('view', { seq, state: seq });
    const { cut } = await repair(log, { from: 4, now: () => 7 });
    expect(cut).toMatchObject({ kind: 'cut', seq: 4, end: 6, cause: 'repaired' });
    expect(await idsOf(log.range(0))).toEqual(ids(0, 1, 2, 3));
    expect(await log.snapshots.latest('view')).toEqual({ seq: 2, state: 2 });
    expect(await log.append([agentEvent(9)], { expectedHead: 4, signer })).toEqual([4]);
    expect(await log.seqOf(agentEvent(5).id)).toBeUndefined();
    await log[Symbol.asyncDispose]();
    await using again = await store.open('c');
    const { broken, sealed, signedEvents, cuts } = await verify(again, { trusted });
    expect([broken, sealed, signedEvents, cuts]).toEqual([undefined, 5, 5, [cut]]);
    await expect(again.proof?.cut(6)).rejects.toMatchObject({ code: 'invalid' });
    await expect(again.proof?.cut(-1)).rejects.toMatchObject({ code: 'invalid' });
    await again.proof?.cut(0);
    await again.append(events(0, 2), { signer });
    expect(await verify(again, { trusted })).toMatchObject({ head: 2, sealed: 2, signedEvents: 2 });
  });
});

test('a SQLite log ends before its gap, and the events after it are in quarantine', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  await using log = await store.create('c', {});
  await log.append(events(0, 6), { signer });
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM event WHERE seq = 3');
  expect((await verify(log)).broken).toMatchObject({ seq: 3, reason: 'lost' });
  const { cut } = await repair(log);
  expect(cut).toMatchObject({ seq: 3, end: 6 });
  expect(await idsOf(log.range(0))).toEqual(ids(0, 1, 2));
  const quarantined = database
    .prepare("SELECT json ->> 'seq' AS seq, json ->> 'text' AS text, json ->> 'kind' AS kind FROM quarantine")
    .all();
  expect(quarantined.filter(({ kind }) => kind === 'MessageEvent')).toEqual(
    [4, 5].map((seq) => ({ seq, text: agentEvent(seq).text, kind: 'MessageEvent' })),
  );
  expect(quarantined.filter(({ kind }) => kind === 'checkpoint').map(({ seq }) => seq)).toEqual([3, 4, 5]);
  database.close();
  await log.append([agentEvent(7)], { signer });
  expect(await verify(log, { trusted })).toMatchObject({ head: 4, sealed: 4, signedEvents: 4 });
});

test('a directory log ends before its gap, and the events after it are in quarantine', async () => {
  await using directory = await temporary();
  const { path } = directory;
  const files = join(path, 'c', 'events');
  await using store = await directoryStore({ path });
  await (await store.create('c', {})).append(events(0, 6), { signer });
  await using other = await directoryStore({ path, now: () => Date.now() + 3_600_000 });
  const name = (await readdir(files)).find((file) => file.startsWith('event-00003')) ?? '';
  await rm(join(files, name));
  await expect(other.open('c')).rejects.toMatchObject({ code: 'incomplete' });
  await using log = await other.open('c', { purpose: 'repair' });
  await expect(log.append([agentEvent(7)])).rejects.toMatchObject({ code: 'incomplete' });
  expect((await verify(log)).broken).toMatchObject({ seq: 3, reason: 'lost' });
  const { cut, loss } = await repair(log);
  expect([cut, loss]).toMatchObject([
    { seq: 3, end: 6 },
    { seq: 3, end: 6, kept: 2, reason: 'missing', place: files },
  ]);
  await log.append([agentEvent(7)], { signer });
  const quarantined = (await readdir(join(path, 'c', '.varve', 'quarantine'))).map((file) => file.slice(6, 11));
  expect(quarantined.toSorted()).toEqual(['00004', '00005']);
  const { broken, sealed, signedEvents, cuts } = await verify(log, { trusted });
  expect([broken, sealed, signedEvents, cuts.length]).toEqual([undefined, 4, 4, 1]);
  expect(await repair(log)).toEqual({ resolved: [], accepted: [] });
});
