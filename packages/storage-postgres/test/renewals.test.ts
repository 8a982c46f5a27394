import type { EventStore } from '@varve/storage';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, countUpdates, freshUrl, problem, runSql } from './server.ts';
import { tcpProxy } from './tcp-proxy.ts';

const leaseMs = 3_600_000;
const elsewhere = { host: 'elsewhere', pid: 1, boot: 'b' };

/** Advances the time of renewals by a third of a lease. */
const pass = (): void => void vi.advanceTimersByTime(leaseMs / 3);
const passSixth = (): void => void vi.advanceTimersByTime(leaseMs / 6);

const expire = async (url: string) =>
  runSql(url, 'UPDATE conversation SET lease_until = 0 WHERE lease_until IS NOT NULL');

/** Returns the column `value` of a query. */
async function selected(url: string, sql: string): Promise<readonly unknown[]> {
  await using client = await connectedClient(url);
  const { rows }: { readonly rows: readonly Record<string, unknown>[] } = await client.query(sql);
  return rows.map(({ value }) => value);
}

/** Returns the ids of the conversations whose lease was renewed after `expire`. */
const renewed = async (url: string) =>
  selected(url, 'SELECT id AS value FROM conversation WHERE lease_until > 0 ORDER BY id');

async function createdLogs(store: EventStore, count: number) {
  return Promise.all(Array.from({ length: count }, async (_, n) => store.create(`c${n}`, {})));
}

async function proxyOf(direct: string) {
  const url = new URL(direct);
  const proxy = await tcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe.skipIf(problem !== undefined)('the leases of a store', () => {
  test('are renewed by one statement, except one that was taken over or is locked', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url, leaseMs });
    await using other = await postgresStore({ url, leaseMs: 86_400_000, holder: elsewhere });
    const logs = await createdLogs(store, 40);
    const taken = await other.open('c7', { takeOver: true });
    await expire(url);
    await using client = await connectedClient(url);
    await client.query(`BEGIN; SELECT 1 FROM conversation WHERE id = 'c9' FOR UPDATE`);
    pass();
    const ids = logs.map(({ id }) => id).filter((id) => id !== 'c7');
    const unlocked = ids.filter((id) => id !== 'c9').toSorted();
    await expect.poll(async () => renewed(url)).toEqual(unlocked);
    const commits = 'SELECT DISTINCT xmin::text AS value FROM conversation WHERE lease_until > 0';
    expect(await selected(url, commits)).toHaveLength(1);
    await client.query('COMMIT');
    pass();
    await expect.poll(async () => renewed(url)).toEqual(ids.toSorted());
    await expect(logs[7]?.append([newEvent('a')])).rejects.toMatchObject({ code: 'fenced' });
    expect(await taken.append([newEvent('a')])).toEqual([0]);
  });

  test('are not renewed if an append renewed them', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url, leaseMs });
    const [log] = await createdLogs(store, 2);
    passSixth();
    await log?.append([newEvent('a')]);
    await expire(url);
    passSixth();
    await expect.poll(async () => renewed(url)).toEqual(['c1']);
    passSixth();
    await expect.poll(async () => renewed(url)).toEqual(['c0', 'c1']);
  });

  test('are renewed without a change of an index', async () => {
    const url = await freshUrl();
    const store = await postgresStore({ url, leaseMs });
    await createdLogs(store, 3);
    for (let round = 0; round < 4; round += 1) {
      await expire(url);
      pass();
      await expect.poll(async () => renewed(url)).toEqual(['c0', 'c1', 'c2']);
    }
    await store[Symbol.asyncDispose]();
    await expect.poll(async () => (await countUpdates(url)).all).toBe(4 * 6 + 6);
    // Leases are taken and released.
    expect((await countUpdates(url)).indexed).toBe(6);
  });

  test('are renewed after an outage, except one that was released during it', async () => {
    const direct = await freshUrl();
    await using proxy = await proxyOf(direct);
    await using store = await postgresStore({ url: proxy.url, leaseMs });
    await createdLogs(store, 3);
    await expire(direct);
    await proxy.cut();
    pass();
    await runSql(direct, `UPDATE conversation SET lease_until = NULL, lease_holder = NULL WHERE id = 'c1'`);
    await proxy.restore();
    await expect.poll(async () => renewed(direct)).toEqual(['c0', 'c2']);
  });

  test('are not waited for by a store that is closed during an outage', async () => {
    await using proxy = await proxyOf(await freshUrl());
    const store = await postgresStore({ url: proxy.url, leaseMs });
    await createdLogs(store, 1);
    await proxy.cut();
    pass();
    await store[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are not renewed after their logs were closed', async () => {
    await using store = await postgresStore({ url: await freshUrl(), leaseMs });
    const [first, second] = await createdLogs(store, 2);
    await first?.[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(1);
    await second?.[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });
});
