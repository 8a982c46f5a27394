import type { EventStore } from '@varve/storage';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, countRows, countUpdates, freshUrl, problem, runSql } from './server.ts';
import { tcpProxy } from './tcp-proxy.ts';

const leaseMs = 3_600_000;
const elsewhere = { host: 'elsewhere', pid: 1, boot: 'b' };

/** Advances the time of heartbeats by a third of a lease. */
const pass = (): void => void vi.advanceTimersByTime(leaseMs / 3);

/** Lets the time of all leases pass. */
const expire = async (url: string) => runSql(url, 'UPDATE process SET alive_until = now_ms() - 1');

const alive = async (url: string) =>
  countRows(url, 'conversation JOIN process ON name = lease_holder WHERE alive_until > now_ms()');

async function createdLogs(store: EventStore, count: number) {
  return Promise.all(Array.from({ length: count }, async (_, n) => store.create(`c${n}`, {})));
}

/** Takes a lease as a process of schema version 4, which has no row. */
const older = (ms: number): string =>
  `UPDATE conversation SET lease_holder = 'older', lease_host = 'elsewhere', lease_pid = 1, lease_boot = 'b',
     lease_until = now_ms() + ${ms} WHERE id = 'c0'`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe.skipIf(problem !== undefined)('the heartbeat of a store', () => {
  test('keeps all its leases by one row, without a change of their conversations', async () => {
    const url = await freshUrl();
    const store = await postgresStore({ url, leaseMs, holder: elsewhere });
    await using other = await postgresStore({ url, leaseMs });
    await createdLogs(store, 20);
    await expect(other.open('c0')).rejects.toMatchObject({ code: 'held' });
    for (let round = 0; round < 3; round += 1) {
      await expire(url);
      pass();
      await expect.poll(async () => alive(url)).toBe(20);
    }
    await expect(other.open('c0')).rejects.toMatchObject({ code: 'held' });
    await store[Symbol.asyncDispose]();
    // Each lease was taken and released.
    await expect.poll(async () => (await countUpdates(url)).all).toBe(40);
  });

  test('ends its leases when it stops, and its appends fail after a take-over', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url, leaseMs, holder: elsewhere });
    await using other = await postgresStore({ url, leaseMs });
    const [log] = await createdLogs(store, 1);
    expect(await other.replicas?.abandoned()).toEqual([]);
    await expire(url);
    expect(await other.replicas?.abandoned()).toEqual(['c0']);
    await using taken = await other.open('c0');
    await expect(log?.append([newEvent('a')])).rejects.toMatchObject({ code: 'fenced' });
    expect(await taken.append([newEvent('a')])).toEqual([0]);
    expect(await other.replicas?.abandoned()).toEqual([]);
  });

  test('does not renew a lease that could not be released: any process takes it', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url, leaseMs });
    await using other = await postgresStore({ url });
    const [log, kept] = [await store.create('c', {}), await store.create('kept', {})];
    await runSql(url, 'ALTER TABLE conversation RENAME TO moved');
    await log[Symbol.asyncDispose]();
    await runSql(url, 'ALTER TABLE moved RENAME TO conversation');
    pass();
    await expect.poll(async () => other.replicas?.abandoned()).toEqual(['c']);
    expect((await other.open('c')).epoch).toBe(2);
    expect(await kept.append([newEvent('a')])).toEqual([0]);
  });

  test('continues after an outage', async () => {
    const direct = await freshUrl();
    const url = new URL(direct);
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    await using store = await postgresStore({ url: url.href, leaseMs });
    await createdLogs(store, 1);
    await expire(direct);
    await proxy.cut();
    pass();
    await proxy.restore();
    await expect.poll(async () => alive(direct)).toBe(1);
  });

  test('is not waited for by a store that is closed during an outage', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const store = await postgresStore({ url: url.href, leaseMs });
    await createdLogs(store, 1);
    await proxy.cut();
    pass();
    await store[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is only known to processes of this version: those of the one before take a lease by its columns', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url, leaseMs });
    await createdLogs(store, 1);
    await using client = await connectedClient(url);
    const { rows } = await client.query<{ later: boolean }>(
      'SELECT lease_until > now_ms() + 3000000 AS later FROM conversation',
    );
    expect(rows).toEqual([{ later: true }]);
    await client.query(older(15_000));
    expect(await store.replicas?.abandoned()).toEqual([]);
    await client.query(older(-1));
    expect(await store.replicas?.abandoned()).toEqual(['c0']);
  });
});
