import { execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { scrub } from '@varve/storage/maintenance';
import { ed25519Signer } from '@varve/storage';
import { expect, test } from 'vitest';
import { agentEvent } from '../agent-event.ts';

const secret = 'sk-0123456789';
const signer = ed25519Signer(new Uint8Array(32).fill(1));

/** A closed log of three events, as another person may have made it, and a directory with files of the user. */
async function placedLog() {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const outside = join(root.path, 'outside');
  await mkdir(outside);
  for (const name of ['report-2024.json', 'note.txt', 'event-00003-x.json', 'ended-x', 'removed-x']) {
    await writeFile(join(outside, name), `mine ${secret}`);
  }
  const open = async () => directoryStore({ path: join(root.path, 'store'), durability: 'buffered' });
  await using store = await open();
  const log = await store.create('c', {});
  await log.append([0, 1, 2].map((n) => agentEvent(n)));
  await log[Symbol.asyncDispose]();
  const contents = async () =>
    Promise.all((await readdir(outside)).toSorted().map(async (name) => [name, await text(join(outside, name))]));
  return {
    path: join(root.path, 'store', 'c'),
    outside,
    open,
    contents,
    [Symbol.asyncDispose]: root[Symbol.asyncDispose],
  };
}

const text = async (path: string): Promise<string> => readFile(path, 'utf8');

const places = ['events', '.varve', '.varve/snapshots', '.varve/quarantine', '.varve/labels', '.varve/seals.jsonl'];

test.for(places)('a log whose %s leads out of it is read, and nothing there is changed', async (place) => {
  await using placed = await placedLog();
  const { path, outside, open, contents } = placed;
  const at = join(path, place);
  const target = place.endsWith('.jsonl') ? join(outside, 'note.txt') : outside;
  await rm(at, { recursive: true, force: true });
  await symlink(target, at);
  const before = await contents();
  await using store = await open();
  expect((await store.list()).items).toHaveLength(1);
  expect(await (await store.read('c')).head()).toBeLessThanOrEqual(3);
  const message = expect.stringContaining(`${basename(place)} is a link`);
  for (const purpose of ['append', 'repair'] as const) {
    await expect(store.open('c', { purpose })).rejects.toMatchObject({ code: 'corrupt', message });
  }
  await expect(store.remove('c')).rejects.toMatchObject({ code: 'corrupt' });
  expect((await scrub(store, { secrets: [secret], signer })).scrubbed).toEqual([]);
  expect(await contents()).toEqual(before);
});

test('a log that is a link itself is read, and nothing where it leads is changed', async () => {
  await using placed = await placedLog();
  const { path, outside, open } = placed;
  const events = join(outside, 'events');
  await rename(join(path, 'events'), events);
  await writeFile(join(events, 'event-00007-x.json'), `mine ${secret}`);
  await rm(path, { recursive: true });
  await symlink(outside, path);
  const before = (await readdir(outside, { recursive: true })).toSorted();
  await using store = await open();
  expect((await store.list()).items).toMatchObject([{ id: 'c', head: 3 }]);
  for (const purpose of ['append', 'repair'] as const) {
    await expect(store.open('c', { purpose })).rejects.toMatchObject({ code: 'corrupt' });
  }
  await expect(store.remove('c')).rejects.toMatchObject({ code: 'corrupt' });
  await scrub(store, { secrets: [secret], signer });
  expect((await readdir(outside, { recursive: true })).toSorted()).toEqual(before);
  expect(await text(join(events, 'event-00007-x.json'))).toBe(`mine ${secret}`);
});

test('a store whose scratch directory leads out of it removes nothing there', async () => {
  await using placed = await placedLog();
  const { path, outside, open, contents } = placed;
  const before = await contents();
  const scratch = join(path, '..', '.varve');
  await rename(scratch, `${scratch}-old`);
  await symlink(outside, scratch);
  await using store = await open();
  await (await store.create('d', {}))[Symbol.asyncDispose]();
  expect(await contents()).toEqual(before);
});

test('a file of seals that is a pipe is refused, and does not stop the process', async () => {
  await using placed = await placedLog();
  const { path, open } = placed;
  await rm(join(path, '.varve'), { recursive: true });
  await mkdir(join(path, '.varve'));
  execFileSync('mkfifo', [join(path, '.varve', 'seals.jsonl')]);
  await using store = await open();
  await expect(store.open('c')).rejects.toMatchObject({ code: 'io' });
});
