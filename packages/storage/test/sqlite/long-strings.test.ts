import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { memoryStore, ed25519Signer, verify } from '@varve/storage';
import { copyLog, exportBundle, importBundle, repair, scrub } from '@varve/storage/maintenance';
import { backupSqlite, sqliteStore } from '@varve/storage/sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newEvent, newEvents } from '../../src/testing/events.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const image = 'iVBORw0KGgo'.repeat(10_000);
const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));

/** Queries the file of a store that may be open. */
function look(path: string, sql: string): readonly unknown[] {
  const database = new DatabaseSync(path);
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0]);
  } finally {
    database.close();
  }
}

const countBlobs = (path: string) => look(path, 'SELECT count(*) FROM blob')[0];

test('a long string of a hundred events is stored once, and deleted with the last of them', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  for (const id of ['c', 'fork']) {
    await using log = await store.create(id, {});
    for (let n = 0; n < 50; n += 1) await log.append([newEvent(`e${n}`, { note: image })]);
  }
  expect(countBlobs(path)).toBe(1);
  expect((await stat(path)).size).toBeLessThan(10 * image.length);
  await store.remove('c');
  expect(countBlobs(path)).toBe(1);
  const fork = await store.read('fork');
  expect((await fork.at(49)).text).toBe(newEvent('e49', { note: image }).text);
  await store.remove('fork');
  expect([countBlobs(path), look(path, 'SELECT count(*) FROM event_blob')]).toEqual([0, [0]]);
});

test('short strings stay in their event', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: 'x'.repeat(32_767) }), newEvent('b', { note: 'y'.repeat(32_768) })]);
  expect(look(path, 'SELECT text FROM blob')).toEqual(['y'.repeat(32_768)]);
});

test('a cut moves full texts to quarantine and deletes strings without references', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  const events = [newEvent('a', { note: image }), newEvent('b', { note: `${image}b` }), newEvent('c', { note: image })];
  await log.append(events);
  await log.proof?.cut(1);
  expect(look(path, "SELECT json ->> 'text' FROM quarantine")).toEqual([events[1]?.text, events[2]?.text]);
  expect(look(path, 'SELECT text FROM blob')).toEqual([image]);
});

test('a cut keeps the remaining parts of an event that lost a string', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b', { note: image })]);
  look(path, 'DELETE FROM event_blob');
  await log.proof?.cut(1);
  const [rest] = look(path, "SELECT json ->> 'rest' FROM quarantine");
  expect(rest).toBe(newEvent('b').text);
  expect(await log.append([newEvent('b')])).toEqual([1]);
});

test('a repair ends a log before the event that lost a string, not before its page', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([...newEvents(0, 5), newEvent('b', { note: image }), ...newEvents(5, 9)]);
  look(path, 'DELETE FROM event_blob');
  expect((await repair(log)).cut).toMatchObject({ seq: 5, end: 10 });
  expect((await verify(log)).sealed).toBe(5);
});

test('a secret in a long string is scrubbed from every conversation and from the file', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const note = `${image}sk-0123456789${image}`;
  for (const id of ['c', 'fork']) await (await store.create(id, {})).append([newEvent('a', { note }), newEvent('b')]);
  await store[Symbol.asyncDispose]();
  await using again = await sqliteStore({ path });
  const { scrubbed } = await scrub(again, { secrets: ['sk-0123456789'], signer });
  expect(scrubbed.map(({ conversation, seq }) => `${conversation} ${seq}`).toSorted()).toEqual(['c 0', 'fork 0']);
  for (const id of ['c', 'fork']) {
    const log = await again.read(id);
    expect((await log.at(0)).text).toContain(`${image}${'*'.repeat(13)}${image}`);
    expect((await verify(log, { trusted: [signer.did] })).broken).toBeUndefined();
  }
  expect(countBlobs(path)).toBe(1);
  const files = [path, `${path}-wal`].map(async (file) => readFile(file, 'latin1'));
  expect((await Promise.all(files)).join('')).not.toContain('sk-0123456789');
});

test('copies, bundles and backups have the same texts and seals', async () => {
  await using directory = await temporary();
  const [path, to] = [join(directory.path, 'store.db'), join(directory.path, 'copy.db')];
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a', { note: image }), ...newEvents(0, 3), newEvent('b', { note: image })], { signer });
  const original = await verify(log, { trusted: [signer.did] });
  await backupSqlite({ path, to });
  await using backup = await sqliteStore({ path: to });
  await using memory = memoryStore();
  await using other = await sqliteStore({ path: join(directory.path, 'other.db') });
  await copyLog(log, memory);
  await importBundle(exportBundle(log, await store.summary('c')), other);
  for (const copy of [backup, memory, other]) {
    const copied = await copy.read('c');
    expect(await Array.fromAsync(copied.range(0))).toEqual(await Array.fromAsync(log.range(0)));
    expect(await verify(copied, { trusted: [signer.did] })).toEqual(original);
  }
});

test.for([
  ['a changed blob is', "UPDATE blob SET text = replace(text, 'G', 'g')", 'altered'],
  ['a deleted blob is', 'PRAGMA foreign_keys = OFF; DELETE FROM blob', 'lost'],
  ['a changed position is', 'UPDATE event_blob SET at = at + 1', 'altered'],
])('%s named by verify, and a later append of the same string is exact', async ([, sql, reason]) => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([newEvent('a'), newEvent('b', { note: image })]);
  const database = new DatabaseSync(path);
  database.exec(sql ?? '');
  database.close();
  expect((await verify(log)).broken).toMatchObject({ seq: 1, reason });
  await log.append([newEvent('c', { note: image })]);
  expect((await log.at(2)).text).toBe(newEvent('c', { note: image }).text);
});

test('random long texts come back exactly', async () => {
  await using directory = await temporary();
  await using store = await sqliteStore({ path: join(directory.path, 'store.db'), durability: 'buffered' });
  const log = await store.create('c', {});
  const part = fc.record({
    string: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    times: fc.constantFrom(1, 100, 6000, 33_000),
  });
  let head = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
      const note = JSON.stringify(parts.map(({ string, times }) => string.repeat(times)));
      const event = newEvent(`e${head}`, { note, text: `{"note":${note},"kind":"MessageEvent","id":"e${head}"}` });
      expect(await log.append([event])).toEqual([head]);
      expect((await log.at(head)).text === event.text).toBe(true);
      head += 1;
    }),
    { numRuns: 40 },
  );
  expect((await verify(log)).sealed).toBe(head);
});
