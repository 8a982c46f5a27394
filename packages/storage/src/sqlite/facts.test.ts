import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type NewEvent, ed25519Signer } from '@varve/storage';
import { scrub } from '@varve/storage/maintenance';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { newEvents } from '../testing/events.ts';
import { indexFacts } from './facts.ts';
import { migrate, migrations } from './schema.ts';
import { prepareStatements } from './statements.ts';

const signer = ed25519Signer(new Uint8Array(32).fill(1));
const kind = 'ConversationStateUpdateEvent';
const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));

function update(id: string, key: string, value: string): NewEvent {
  return { id, kind, parentId: undefined, text: JSON.stringify({ id, key, value, kind }) };
}

function indexed(path: string): readonly unknown[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare('SELECT value FROM fact ORDER BY value').all();
  database.close();
  return rows.map((row) => row['value']);
}

test('a search updates the index, in several transactions if many events are missing; an append does not', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, durability: 'buffered' });
  for (const id of ['c', 'd', 'e']) {
    const log = await store.create(id, {});
    await log.append([update('x', 'varve.x', id), ...newEvents(0, 1500), update('y', 'varve.y', id)]);
  }
  expect(indexed(path)).toEqual([]);
  expect((await store.facts?.({ name: 'varve.y' }))?.items.map(({ value }) => value)).toEqual(['c', 'd', 'e']);
  expect(indexed(path)).toEqual(['c', 'c', 'd', 'd', 'e', 'e']);
});

test('facts in a file of an earlier version are found', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  const database = new DatabaseSync(path);
  migrate(database, path, migrations.slice(0, 2));
  database.exec(`
    INSERT INTO conversation (key, id, created_at, updated_at, head, lease_epoch) VALUES (1, 'c', 0, 0, 1, 0);
    INSERT INTO meta VALUES (1, '{}')`);
  database
    .prepare('INSERT INTO event (conversation, seq, id, kind, text) VALUES (1, 0, ?, ?, ?)')
    .run('a', kind, update('a', 'varve.x', 'old').text);
  database.close();
  await using store = await sqliteStore({ path });
  expect(await store.facts?.({ name: 'varve.x' })).toEqual({
    items: [{ name: 'varve.x', value: 'old', conversation: 'c', seq: 0 }],
  });
});

test('a scrubbed secret is removed from the index', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path });
  const log = await store.create('c', {});
  await log.append([update('a', 'varve.x', 'sk-0123456789'), update('b', 'varve.x', 'other')]);
  expect((await store.facts?.({ name: 'varve.x', value: 'sk-0123456789' }))?.items).toHaveLength(1);
  await log[Symbol.asyncDispose]();
  await scrub(store, { secrets: ['sk-0123456789'], signer });
  expect(indexed(path)).toEqual(['other']);
  const bytes = await Promise.all([path, `${path}-wal`].map(async (file) => readFile(file, 'latin1')));
  expect(bytes.join('')).not.toContain('sk-0123456789');
  const page = await store.facts?.({ name: 'varve.x' });
  expect(page?.items.map(({ value }) => value)).toEqual(['*************', 'other']);
});

test('a search indexes each conversation once, even with many conversations and concurrent appends', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, durability: 'buffered' });
  const logs = await Promise.all(['c', 'd', 'e'].map(async (id) => store.create(id, {})));
  for (const log of logs) await log.append([update('x', 'varve.x', log.id), ...newEvents(0, 1500)]);
  const database = new DatabaseSync(path);
  const statements = prepareStatements(database);
  const key = indexFacts(statements, 0);
  await logs[0]?.append([update('y', 'varve.x', 'later')]);
  expect(indexFacts(statements, key ?? 0)).toBe(key === undefined ? key : key + 1);
  expect(indexFacts(statements, (key ?? 0) + 1)).toBeUndefined();
  database.close();
  expect(indexed(path)).toEqual(['c', 'd', 'e']);
  expect((await store.facts?.({ name: 'varve.x', value: 'later' }))?.items).toHaveLength(1);
});

test('a search ends while other processes append', async () => {
  await using directory = await temporary();
  await using store = await sqliteStore({ path: join(directory.path, 'store.db'), durability: 'buffered' });
  const logs = await Promise.all(['c', 'd', 'e', 'f'].map(async (id) => store.create(id, {})));
  const over = new AbortController();
  const writers = logs.map(async (log) => {
    for (let n = 0; !over.signal.aborted; n += 1) await log.append([update(`e${n}`, 'varve.x', `${n}`)]);
  });
  for (let n = 0; n < 5; n += 1) {
    const acknowledged = await logs[0]?.head();
    const page = await store.facts?.({ name: 'varve.x', limit: 1000 });
    expect(page?.items.length).toBeGreaterThanOrEqual(Math.min(acknowledged ?? 0, 1000));
  }
  over.abort();
  await Promise.all(writers);
});
