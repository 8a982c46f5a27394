import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtempDisposable, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { agentEvent } from '../../test/agent-event.ts';
import { newEvent } from '../testing/events.ts';
import { eventName } from './layout/event-file.ts';

/** Conversations written by the reference, if they are available next to this repository. */
const fixtures = fileURLToPath(new URL('../../../../tests/fixtures/openhands-conversations/', import.meta.url));

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));
const id = '0123456789abcdef0123456789abcdef';

/** Returns all names below a directory with modification times and contents. */
async function treeOf(path: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(path, { recursive: true });
  const entries = names.toSorted().map(async (name) => {
    const { mtimeMs, ctimeMs, mode } = await stat(join(path, name));
    const contents = await readFile(join(path, name)).catch(() => '');
    return [name, `${mtimeMs} ${ctimeMs} ${mode} ${createHash('sha256').update(contents).digest('hex')}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Calls every method that reads, on every conversation. */
async function readAll(store: EventStore): Promise<void> {
  for (const { id: listedId } of (await store.list()).items) {
    const reader = await store.read(listedId);
    const stored = await Array.fromAsync(reader.range(0));
    await store.summary(listedId);
    for (const event of stored) expect(await reader.seqOf(event.id)).toBe(event.seq);
    if (stored.length === 0) continue;
    for await (const { seq } of reader.tail(0, AbortSignal.timeout(30_000))) if (seq + 1 === stored.length) break;
  }
}

test('reading changes no contents and no modification time', async () => {
  await using root = await temporary();
  {
    await using store = await directoryStore({ path: root.path });
    const log = await store.create(id, { title: 'A', status: 'idle', workspace: '/srv/w' });
    await log.append([agentEvent(0), newEvent('odd'), agentEvent(2), agentEvent(3)]);
    await log.snapshots.save('view', { seq: 1, state: 1 });
    await store.create('other', 1);
  }
  const events = join(root.path, id, 'events');
  await writeFile(join(events, eventName({ seq: 3, slug: agentEvent(3).id })), '');
  await writeFile(join(events, 'event-00007-00000000.json'), '');
  await writeFile(join(events, '.eventlog.lock'), '');
  const before = await treeOf(root.path);
  await using store = await directoryStore({ path: root.path });
  await readAll(store);
  expect(await treeOf(root.path)).toEqual(before);
});

test('reading a missing root does not create it', async () => {
  await using root = await temporary();
  const path = join(root.path, 'none');
  await using store = await directoryStore({ path });
  expect(await store.list()).toEqual({ items: [] });
  await expect(store.read(id)).rejects.toMatchObject({ code: 'missing' });
  expect(existsSync(path)).toBe(false);
});

test('conversations of the reference are read exactly and not changed', async () => {
  const before = await treeOf(fixtures);
  const warnings: unknown[] = [];
  await using store = await directoryStore({ path: fixtures, warnings: (warning) => void warnings.push(warning) });
  await readAll(store);
  const { items } = await store.list();
  expect(items).toHaveLength(4);
  for (const { id: listedId, head, meta, createdAt } of items) {
    const files = (await readdir(join(fixtures, listedId, 'events')))
      .filter((name) => name.endsWith('.json'))
      .toSorted();
    const texts = files.map(async (name) => readFile(join(fixtures, listedId, 'events', name), 'utf8'));
    const stored = await Array.fromAsync((await store.read(listedId)).range(0));
    expect(stored.map(({ text }) => text)).toEqual(await Promise.all(texts));
    expect(stored.map((event) => eventName({ seq: event.seq, slug: event.id }))).toEqual(files);
    expect(head).toBe(files.length);
    expect(meta).toMatchObject({ status: expect.any(String), workspace: expect.stringMatching(/^\/srv\//) });
    expect(new Date(createdAt).toISOString()).toMatch(/^2026-11-2/);
  }
  expect(items.filter(({ meta }) => (meta as { title?: string }).title === 'Sample title')).toHaveLength(3);
  expect(await treeOf(fixtures)).toEqual(before);
  expect(warnings).toEqual([]);
});

test('a conversation of the reference is continued and keeps its events', async () => {
  await using root = await temporary();
  const foreignId = '7eb1c77e91b04610adb1508216c51d5d';
  await cp(join(fixtures, foreignId), join(root.path, foreignId), { recursive: true });
  const state = async () => JSON.parse(await readFile(join(root.path, foreignId, 'base_state.json'), 'utf8'));
  const before = await state();
  {
    await using store = await directoryStore({ path: root.path });
    const log = await store.open(foreignId);
    expect(await log.head()).toBe(16);
    expect(await log.append([agentEvent(100)])).toEqual([16]);
  }
  expect(await state()).toEqual({
    ...before,
    leaf_event_id: agentEvent(100).id,
    last_user_message_id: agentEvent(100).id,
  });
});

test('two appends within one tick of the file system are both seen by readers', async () => {
  await using root = await temporary();
  await using writer = await directoryStore({ path: root.path, durability: 'buffered', now: () => 1_700_000_000_000 });
  await using other = await directoryStore({ path: root.path });
  const log = await writer.create(id, {});
  const reader = await other.read(id);
  for (let n = 0; n < 50; n += 1) {
    await log.append([agentEvent(n)]);
    expect(await reader.head()).toBe(n + 1);
  }
});

test('appends of the reference within one tick are both seen by readers', async () => {
  await using root = await temporary();
  const events = join(root.path, id, 'events');
  await mkdir(events, { recursive: true });
  await using store = await directoryStore({ path: root.path });
  const reader = await store.read(id);
  for (let n = 0; n < 50; n += 1) {
    await writeFile(join(events, eventName({ seq: n, slug: agentEvent(n).id })), agentEvent(n).text);
    expect(await reader.head()).toBe(n + 1);
  }
});

test('a conversation without events yet is read, opened and continued', async () => {
  await using root = await temporary();
  await mkdir(join(root.path, id));
  await writeFile(join(root.path, id, 'base_state.json'), JSON.stringify({ execution_status: 'idle' }));
  await using store = await directoryStore({ path: root.path });
  const reader = await store.read(id);
  expect([await reader.head(), await store.list()]).toMatchObject([
    0,
    { items: [{ id, head: 0, meta: { status: 'idle' } }] },
  ]);
  const log = await store.open(id);
  await log.append([agentEvent(0)]);
  expect(await reader.head()).toBe(1);
});

test('directories that are not conversations are not listed', async () => {
  await using root = await temporary();
  await mkdir(join(root.path, 'empty'));
  await mkdir(join(root.path, 'not an id', 'events'), { recursive: true });
  await writeFile(join(root.path, 'file'), '');
  await using store = await directoryStore({ path: root.path });
  expect(await store.list()).toEqual({ items: [] });
  await expect(store.open('empty')).rejects.toMatchObject({ code: 'missing' });
  await expect(store.open('file')).rejects.toMatchObject({ code: 'missing' });
});

test('a root may be moved', async () => {
  await using root = await temporary();
  const [here, there] = [join(root.path, 'here'), join(root.path, 'there')];
  {
    await using store = await directoryStore({ path: here });
    await (await store.create(id, { a: 1 })).append([agentEvent(0)]);
  }
  await rename(here, there);
  await using store = await directoryStore({ path: there });
  expect(await (await store.open(id)).append([agentEvent(0), agentEvent(1)])).toEqual([0, 1]);
});
