import { cp, mkdir, mkdtempDisposable, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';
import { eventName } from '../../src/directory/layout/event-file.ts';
import { idsOf, newEvent } from '../../src/testing/events.ts';
import { agentEvent } from '../agent-event.ts';
import type { DirectoryWarning } from '../../src/directory/layout/warnings.ts';

const id = '0123456789abcdef0123456789abcdef';
const nameOf = (n: number): string => eventName({ seq: n, slug: agentEvent(n).id });
const idAt = (n: number): string => agentEvent(n).id;

/** Creates a conversation of `count` events whose files a test may damage, and collects the store's warnings. */
async function conversation(count: number) {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const warnings: DirectoryWarning[] = [];
  const open = async () =>
    directoryStore({ path: root.path, pollMs: 20, warnings: (warning) => void warnings.push(warning) });
  {
    await using store = await open();
    const log = await store.create(id, { status: 'idle' });
    await log.append(Array.from({ length: count }, (_, n) => agentEvent(n)));
  }
  const path = (...names: readonly string[]): string => join(root.path, id, ...names);
  const event = (n: number): string => path('events', nameOf(n));
  const codes = (): string[] => warnings.map(({ code }) => code);
  return { path, event, open, warnings, codes, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

/** Expects a reader and then a holder to find these events, and two appends to succeed. */
async function expectLog(files: Awaited<ReturnType<typeof conversation>>, ids: readonly string[]): Promise<void> {
  await using store = await files.open();
  expect(await idsOf((await store.read(id)).range(0))).toEqual(ids);
  expect((await store.summary(id)).head).toBe(ids.length);
  const log = await store.open(id);
  expect(await idsOf(log.range(0))).toEqual(ids);
  expect(await log.append([agentEvent(100), agentEvent(101)])).toEqual([ids.length, ids.length + 1]);
  expect(await idsOf((await store.read(id)).range(0))).toEqual([...ids, idAt(100), idAt(101)]);
}

test.for([
  ['empty', ''],
  ['truncated', agentEvent(2).text.slice(0, -9)],
  ['not an object', '[]'],
  ['not UTF-8', Buffer.concat([Buffer.from(agentEvent(2).text.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')])],
] as const)(
  'a last file of another program that is %s is ignored by readers and moved to quarantine by a holder',
  async ([, contents]) => {
    await using files = await conversation(2);
    await writeFile(files.event(2), contents);
    {
      await using store = await files.open();
      expect(await (await store.read(id)).head()).toBe(2);
      expect(await readdir(files.path('events'))).toContain(nameOf(2));
    }
    expect(files.codes()).toEqual(['broken-event']);
    await expectLog(files, [idAt(0), idAt(1)]);
    expect(files.codes()).toContain('quarantined');
    expect(await readFile(files.path('.varve', 'quarantine', nameOf(2)))).toEqual(Buffer.from(contents));
  },
);

test('opening a log moves a broken last file to quarantine', async () => {
  await using files = await conversation(1);
  await writeFile(files.event(1), '');
  await using store = await files.open();
  await store.open(id);
  expect(await readdir(files.path('events'))).toEqual([nameOf(0)]);
});

test('moving a file to quarantine on opening does not change the listing, and readers notice it', async () => {
  await using files = await conversation(2);
  await using store = await files.open();
  const reader = await store.read(id);
  await writeFile(files.event(2), agentEvent(2).text);
  expect(await reader.head()).toBe(3);
  await writeFile(files.event(2), '');
  await utimes(files.path('events'), 1_700_000_000, 1_700_000_000.25);
  const { updatedAt } = await store.summary(id);
  await (await store.open(id))[Symbol.asyncDispose]();
  expect(await store.summary(id)).toMatchObject({ head: 2, updatedAt });
  expect([updatedAt, await reader.head()]).toEqual([1_700_000_000_250, 2]);
});

test('several broken files at the end are moved to quarantine together', async () => {
  await using files = await conversation(1);
  for (const n of [1, 2, 3]) await writeFile(files.event(n), '');
  await expectLog(files, [idAt(0)]);
  expect(await readdir(files.path('.varve', 'quarantine'))).toHaveLength(3);
});

test('a reader that found a partly written file reads it once it is complete', async () => {
  await using files = await conversation(3);
  await writeFile(files.event(2), '');
  // Long enough ago that the modification time of the directory is reliable.
  await utimes(files.path('events'), 1_700_000_000, 1_700_000_000);
  await using store = await files.open();
  const reader = await store.read(id);
  expect([await reader.head(), await reader.head()]).toEqual([2, 2]);
  await writeFile(files.event(2), agentEvent(2).text);
  expect(await reader.head()).toBe(3);
});

test('a broken file inside the log is returned unchanged, with a warning', async () => {
  await using files = await conversation(3);
  await writeFile(files.event(1), '{"id":');
  await using store = await files.open();
  const stored = await Array.fromAsync((await store.read(id)).range(0));
  expect(stored[1]).toEqual({ seq: 1, id: idAt(1), kind: '', parentId: undefined, text: '{"id":' });
  expect(files.codes()).toEqual(['broken-event']);
  expect(files.warnings[0]?.path).toBe(files.event(1));
});

test('a file that disappears during a read is reported as corrupt, after the events before it', async () => {
  await using files = await conversation(80);
  await using store = await files.open();
  const reader = await store.read(id);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of reader.range(0)) {
      await rm(files.event(70), { force: true });
      seen.push(event.id);
    }
  })();
  await expect(reading).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining('Event 70') });
  expect(seen).toHaveLength(70);
  expect(await reader.head()).toBe(70);
});

test('an event stored twice is found at its first position', async () => {
  await using files = await conversation(3);
  await cp(files.event(0), files.path('events', eventName({ seq: 3, slug: idAt(0) })));
  await using store = await files.open();
  const reader = await store.read(id);
  expect([await reader.head(), await reader.seqOf(idAt(0)), (await reader.at(3)).id]).toEqual([4, 0, idAt(0)]);
  expect(files.codes()).toEqual(['same-id']);
});

test('ids that cannot be file names are read from the text', async () => {
  await using files = await conversation(1);
  const text = JSON.stringify({ id: 'my event', kind: 'K', parent_id: idAt(0) });
  await writeFile(files.path('events', 'event-00001-my-event.json'), text);
  await using store = await files.open();
  const reader = await store.read(id);
  expect(await reader.at(1)).toEqual({ seq: 1, id: 'my event', kind: 'K', parentId: idAt(0), text });
  expect([await reader.seqOf('my event'), await reader.seqOf('my-event')]).toEqual([1, undefined]);
});

test('an id in the file name takes precedence over the id in the text', async () => {
  await using files = await conversation(1);
  const name = eventName({ seq: 1, slug: 'abcdef0123' });
  await writeFile(files.path('events', name), JSON.stringify({ id: '0123456789', kind: 'K' }));
  await using store = await files.open();
  const reader = await store.read(id);
  expect([(await reader.at(1)).id, await reader.seqOf('abcdef0123')]).toEqual(['abcdef0123', 1]);
});

test('other files among the events are ignored', async () => {
  await using files = await conversation(2);
  for (const name of ['.eventlog.lock', 'event-0002-ab.json', 'event-00002-.json', 'event-00002-ab.json.tmp', 'x']) {
    await writeFile(files.path('events', name), '');
  }
  await mkdir(files.path('observations'));
  await expectLog(files, [idAt(0), idAt(1)]);
  expect(files.codes()).toEqual([]);
});

test('a log with more than 99999 events has wider names', async () => {
  expect(nameOf(100_000)).toBe(`event-100000-${idAt(100_000)}.json`);
  expect(nameOf(99_999)).toMatch(/^event-99999-/);
});

test('an event whose text lacks its fields has a sidecar, and losing the sidecar loses no event', async () => {
  await using files = await conversation(0);
  await using store = await files.open();
  const odd = newEvent('odd/../id', { parentId: 'x', text: '{"id":"odd/../id"}' });
  const log = await store.open(id);
  await log.append([odd, agentEvent(1)]);
  const labels = await readdir(files.path('.varve', 'labels'));
  expect(labels).toHaveLength(1);
  expect(await readdir(files.path('events'))).toHaveLength(2);
  expect(await log.at(0)).toEqual({ seq: 0, ...odd });
  await rm(files.path('.varve', 'labels'), { recursive: true });
  expect(await log.at(0)).toEqual({ seq: 0, id: odd.id, kind: '', parentId: undefined, text: odd.text });
});

test('names of snapshots stay in their directory', async () => {
  await using files = await conversation(1);
  await using store = await files.open();
  const { snapshots } = await store.open(id);
  for (const name of ['..', '../../x', 'a/b', 'a\0b', 'é*', '']) {
    await snapshots.save(name, { seq: 1, state: name });
    expect((await snapshots.latest(name))?.state ?? name).toBe(name);
  }
  expect((await readdir(files.path())).toSorted()).toEqual(['.varve', 'events', 'owner_lease.json']);
});

test('damaged metadata files do not hide a conversation', async () => {
  await using files = await conversation(1);
  for (const name of ['base_state.json', 'meta.json', 'owner_lease.json', '.varve/meta.json']) {
    await writeFile(files.path(name), '{"id":');
  }
  await using store = await files.open();
  expect(await store.list()).toMatchObject({ items: [{ id, head: 1, meta: {} }] });
  await expectLog(files, [idAt(0)]);
});
