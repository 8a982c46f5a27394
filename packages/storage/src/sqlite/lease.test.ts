import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test, vi } from 'vitest';
import { type Holder, isDead, thisProcess } from '../kit/holder.ts';
import type { SqliteStoreOptions } from './sqlite-store.ts';

const temporary = async () => mkdtempDisposable(join(tmpdir(), 'varve-'));

/** Two handles with one clock: the first holds the lease of `c` as `holder`, and the second tries to take it. */
async function contenders(path: string, holder: Partial<Holder>) {
  let time = 1_750_000_000_000;
  const options: SqliteStoreOptions = { path, now: () => time, leaseMs: 30_000 };
  const first = await sqliteStore({ ...options, holder: { ...thisProcess(), ...holder } });
  const second = await sqliteStore(options);
  return { first, second, pass: (ms: number) => (time += ms), log: await first.create('c', {}) };
}

/** Above the largest process id of Linux. */
const noProcess = 2 ** 22 + 1;

test('a holder on another host keeps its lease until it expires', async () => {
  await using directory = await temporary();
  const { first, second, pass } = await contenders(join(directory.path, 'store.db'), { host: 'elsewhere', pid: 17 });
  pass(29_999);
  await expect(second.open('c')).rejects.toMatchObject({
    code: 'held',
    isRetryable: true,
    message: 'Conversation c is held by process 17 on elsewhere until 2025-06-15T15:07:10.000Z or longer.',
  });
  pass(1);
  expect((await second.open('c')).epoch).toBe(2);
  await Promise.all([first, second].map((store) => store[Symbol.asyncDispose]()));
});

test('an append renews the lease', async () => {
  await using directory = await temporary();
  const { first, second, pass, log } = await contenders(join(directory.path, 'store.db'), { host: 'elsewhere' });
  pass(20_000);
  await log.append([], { meta: 1 });
  pass(20_000);
  await expect(second.open('c')).rejects.toMatchObject({ code: 'held' });
  await Promise.all([first, second].map((store) => store[Symbol.asyncDispose]()));
});

test('the lease of a holder that died on this host and boot is taken over immediately', async () => {
  await using directory = await temporary();
  const { first, second } = await contenders(join(directory.path, 'store.db'), { pid: noProcess });
  expect((await second.open('c')).epoch).toBe(2);
  await Promise.all([first, second].map((store) => store[Symbol.asyncDispose]()));
});

test('a process id of another boot or host is not considered dead', () => {
  const self = thisProcess();
  expect(isDead({ ...self, pid: noProcess }, self)).toBe(true);
  expect(isDead({ ...self, pid: noProcess, boot: 'other' }, self)).toBe(false);
  expect(isDead({ ...self, pid: noProcess, host: 'other' }, self)).toBe(false);
  expect(isDead(self, self)).toBe(false);
  const [machine, namespace] = self.boot.split(' ');
  expect(isDead({ ...self, pid: 1, boot: `${machine} ${namespace}` }, self)).toBe(false);
  // Another process has the id since.
  expect(isDead({ ...self, pid: 1 }, self)).toBe(true);
});

test('a conversation of a dead holder can be removed', async () => {
  await using directory = await temporary();
  const { first, second } = await contenders(join(directory.path, 'store.db'), { pid: noProcess });
  await second.remove('c');
  await expect(second.summary('c')).rejects.toMatchObject({ code: 'missing' });
  await Promise.all([first, second].map((store) => store[Symbol.asyncDispose]()));
});

test('an idle log renews its lease, and a disposed log has no holder', async () => {
  await using directory = await temporary();
  const path = join(directory.path, 'store.db');
  await using store = await sqliteStore({ path, leaseMs: 30 });
  const log = await store.create('c', {});
  const database = new DatabaseSync(path);
  const lease = () => database.prepare('SELECT lease_until, lease_pid FROM conversation').get() ?? {};
  const first = Number(lease()['lease_until']);
  await vi.waitFor(() => expect(Number(lease()['lease_until'])).toBeGreaterThan(first + 60), { timeout: 20_000 });
  expect(lease()['lease_pid']).toBe(process.pid);
  await log[Symbol.asyncDispose]();
  expect(lease()).toEqual({ lease_until: null, lease_pid: null });
  database.close();
});
