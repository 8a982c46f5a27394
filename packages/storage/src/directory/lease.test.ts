import { mkdtempDisposable, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { expect, test, vi } from 'vitest';
import { thisProcess } from '../kit/holder.ts';
import { agentEvent } from '../../test/agent-event.ts';
import type { DirectoryStoreOptions } from './directory-store.ts';

const id = '0123456789abcdef0123456789abcdef';

/** A pid above the maximum of Linux. */
const noProcess = 2 ** 22 + 1;

/** Creates a root with a clock that the test controls. */
async function root(options: Partial<DirectoryStoreOptions> = {}) {
  const directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  let time = 1_750_000_000_000;
  const path = join(directory.path, id, 'owner_lease.json');
  return {
    open: async (more: Partial<DirectoryStoreOptions> = {}) =>
      directoryStore({ path: directory.path, leaseMs: 45_000, now: () => time, ...options, ...more }),
    pass: (ms: number) => (time += ms),
    own: join(directory.path, id, '.varve'),
    path,
    read: async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')),
    /** Writes a lease as the reference does. */
    write: async (lease: object) =>
      writeFile(path, JSON.stringify({ owner_instance_id: 'other', generation: 7, ...lease })),
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  };
}

test('an open log has a lease of the reference, and a disposed one has none', async () => {
  await using files = await root();
  await using store = await files.open();
  const log = await store.create(id, {});
  expect(await files.read()).toEqual({
    owner_instance_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    generation: 1,
    expires_at: 1_750_000_045,
    owner_host: hostname(),
    owner_pid: process.pid,
  });
  await log[Symbol.asyncDispose]();
  await expect(files.read()).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await store.open(id)).epoch).toBe(2);
  expect(await files.read()).toMatchObject({ generation: 2 });
});

test('a live lease of the reference blocks opening, not reading', async () => {
  await using files = await root();
  await using store = await files.open();
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  await files.write({ expires_at: 1_750_000_030.5, owner_host: 'elsewhere', owner_pid: 17 });
  await expect(store.open(id)).rejects.toMatchObject({
    code: 'held',
    message: `Conversation ${id} is held by process 17 on elsewhere until 2025-06-15T15:07:10.500Z or longer.`,
  });
  await expect(store.remove(id)).rejects.toMatchObject({ code: 'held' });
  expect(await (await store.read(id)).head()).toBe(0);
  expect((await store.list()).items).toHaveLength(1);
  files.pass(30_501);
  expect((await store.open(id)).epoch).toBe(8);
});

test('a lease without host and process is valid until it expires', async () => {
  await using files = await root();
  await using store = await files.open();
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  await files.write({ expires_at: 1_750_000_030 });
  await expect(store.open(id)).rejects.toMatchObject({ code: 'held' });
});

test('the lease of a dead process of the reference on this host is taken over immediately', async () => {
  await using files = await root();
  await using store = await files.open();
  await (await store.create(id, {}))[Symbol.asyncDispose]();
  await files.write({ expires_at: 1_750_000_030, owner_host: hostname(), owner_pid: noProcess });
  expect((await store.open(id)).epoch).toBe(8);
});

test.for(['', '{', '[]', '{"generation":1}', '{"owner_instance_id":"x","generation":-1,"expires_at":9e9}'])(
  'a lease file of %j is ignored',
  async (text) => {
    await using files = await root();
    await using store = await files.open();
    const log = await store.create(id, {});
    await writeFile(files.path, text);
    expect(await log.append([agentEvent(0)])).toEqual([0]);
    expect(await files.read()).toMatchObject({ generation: 1 });
    await log[Symbol.asyncDispose]();
    await writeFile(files.path, text);
    expect((await store.open(id)).epoch).toBe(2);
  },
);

test('a holder whose lease the reference took is fenced and does not change that lease', async () => {
  await using files = await root();
  await using store = await files.open();
  const log = await store.create(id, {});
  files.pass(50_000);
  await files.write({ expires_at: 1_750_000_100 });
  for (const append of [log.append([agentEvent(0)]), log.append([]), log.append([], { meta: 1 })]) {
    await expect(append).rejects.toMatchObject({ code: 'fenced' });
  }
  await log[Symbol.asyncDispose]();
  expect(await files.read()).toMatchObject({ owner_instance_id: 'other', generation: 7 });
  expect((await store.summary(id)).meta).toEqual({});
});

test('a lease is renewed by appends after half of its time, and by a timer', async () => {
  await using files = await root();
  await using store = await files.open();
  const log = await store.create(id, {});
  files.pass(20_000);
  await log.append([agentEvent(0)]);
  expect(await files.read()).toMatchObject({ expires_at: 1_750_000_045 });
  files.pass(10_000);
  await log.append([agentEvent(1)]);
  expect(await files.read()).toMatchObject({ expires_at: 1_750_000_075 });
  await rm(files.path);
  await log.append([agentEvent(2)]);
  expect(await files.read()).toMatchObject({ generation: 1 });
});

test('an idle log renews its lease by itself', async () => {
  await using files = await root({ leaseMs: 30, now: Date.now });
  await using store = await files.open();
  await store.create(id, {});
  const end = async (): Promise<number> => ((await files.read()) as { expires_at: number }).expires_at;
  const first = await end();
  await vi.waitFor(async () => expect(await end()).toBeGreaterThan(first + 0.06), { timeout: 20_000 });
});

test.for([
  ['a dead process of this host and boot', {}, 2],
  ['a process of another boot', { boot: 'other' }, 'held'],
  ['a process of another host', { host: 'other' }, 'held'],
] as const)('%s: which holder is taken over immediately', async ([, holder, expected]) => {
  await using files = await root();
  await using store = await files.open();
  await using other = await files.open({ holder: { ...thisProcess(), pid: noProcess, ...holder } });
  await other.create(id, {});
  const opened = await store.open(id).then(
    ({ epoch }) => epoch,
    (error: { readonly code: string }) => error.code,
  );
  expect(opened).toBe(expected);
});

test('a holder with a claim and no lease file yet is not taken over before the claim expires', async () => {
  await using files = await root();
  await using store = await files.open();
  await using other = await files.open({ holder: { host: 'elsewhere', pid: 1, boot: '' } });
  await other.create(id, {});
  await rm(files.path);
  await expect(store.open(id)).rejects.toMatchObject({ code: 'held' });
  files.pass(45_001);
  expect((await store.open(id)).epoch).toBe(2);
});

test('a takeover leaves one epoch and no files of the old one', async () => {
  await using files = await root();
  await using store = await files.open();
  for (let turn = 0; turn < 3; turn += 1) {
    const log = turn === 0 ? await store.create(id, {}) : await store.open(id);
    await log.append([agentEvent(turn)]);
    await log[Symbol.asyncDispose]();
  }
  expect((await readdir(files.own)).toSorted()).toEqual(['epoch-3', 'meta.json', 'seals.jsonl']);
  const instance = (await readdir(join(files.own, 'epoch-3'))).find((name) => name !== 'claim.json');
  expect(
    (await readdir(join(files.own, 'epoch-3', instance ?? ''))).filter((name) => name !== 'released'),
  ).toHaveLength(1);
});
