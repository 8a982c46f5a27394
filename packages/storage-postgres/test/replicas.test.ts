import type { EventStore, Replicas } from '@varve/storage';
import { thisProcess } from '@varve/storage/kit';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { countRows, expireLeases, freshUrl, problem, runSql } from './server.ts';

const elsewhere = { host: 'elsewhere', pid: 1, boot: 'b' };

function replicasIn({ replicas }: EventStore): Replicas {
  if (replicas) return replicas;
  throw new Error('The store has no replicas.');
}

describe.skipIf(problem !== undefined)('replicas of a store', () => {
  test('find the address of the process that holds a conversation while its lease lasts', async () => {
    const url = await freshUrl();
    await using first = await postgresStore({ url, holder: elsewhere });
    first.replicas?.announce('http://one:1');
    await using other = await postgresStore({ url });
    const log = await first.create('c', {});
    expect(await other.replicas?.addressOf('c')).toBe('http://one:1');
    expect(await other.replicas?.addressOf('missing')).toBeUndefined();
    await log[Symbol.asyncDispose]();
    expect(await other.replicas?.addressOf('c')).toBeUndefined();
    await first.open('c');
    await expireLeases(url);
    expect(await other.replicas?.addressOf('c')).toBeUndefined();
  });

  test('find conversations whose process ended, on this machine without a wait', async () => {
    const url = await freshUrl();
    await using far = await postgresStore({ url, holder: elsewhere });
    await using store = await postgresStore({ url });
    const { host, boot } = thisProcess();
    await using dead = await postgresStore({ url, holder: { host, boot, pid: 2 ** 22 } });
    for (const [id, holder] of [
      ['far', far],
      ['here', store],
      ['dead', dead],
    ] as const)
      await holder.create(id, {});
    await (await store.create('closed', {}))[Symbol.asyncDispose]();
    expect(await store.replicas?.abandoned()).toEqual(['dead']);
    // By an append that was executed after its connection had failed.
    await runSql(url, `UPDATE conversation SET lease_until = 1 WHERE id = 'closed'`);
    for (const id of ['here', 'closed']) await store.replicas?.abandon(id);
    expect((await store.replicas?.abandoned())?.toSorted()).toEqual(['closed', 'dead']);
    await (await store.open('closed'))[Symbol.asyncDispose]();
    expect(await store.replicas?.abandoned()).toEqual(['dead']);
    await expireLeases(url);
    expect((await store.replicas?.abandoned())?.toSorted()).toEqual(['dead', 'far', 'here']);
    // Those that wait longest are first.
    for (const [id, at] of [
      ['here', 2],
      ['dead', 3],
      ['far', 1],
    ])
      await runSql(url, `UPDATE conversation SET updated_at = ${at} WHERE id = '${id}'`);
    expect(await store.replicas?.abandoned()).toEqual(['far', 'here', 'dead']);
    // Those of replicas come before those of other programs.
    await runSql(url, `UPDATE conversation SET lease_address = 'http://dead:1' WHERE id = 'dead'`);
    expect(await store.replicas?.abandoned()).toEqual(['dead', 'far', 'here']);
  });

  test('find conversations in the order in which their runs were requested, until they run', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const replicas = replicasIn(store);
    for (const id of ['first', 'second']) await (await store.create(id, {}))[Symbol.asyncDispose]();
    await runSql(url, `UPDATE conversation SET updated_at = 1 WHERE id = 'first'`);
    for (const id of ['first', 'second']) await replicas.abandon(id);
    const reopened = async (hasRun: boolean) => {
      const log = await store.open('first');
      await log.append([newEvent(String(hasRun))]);
      await runSql(url, `UPDATE conversation SET updated_at = updated_at + 1 WHERE id = 'first'`);
      await log[Symbol.asyncDispose]();
      await replicas.abandon('first', { hasRun });
      return replicas.abandoned();
    };
    expect(await reopened(false)).toEqual(['first', 'second']);
    expect(await reopened(true)).toEqual(['second', 'first']);
  });

  test('find the oldest run of the owner of which the fewest run', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const waiting = { a1: 1, a2: 2, a3: 3, b1: 4, b2: 5, c1: 6 };
    for (const [id, at] of Object.entries(waiting)) {
      await (await store.create(id, { status: 'running' }, { owner: id.charAt(0) }))[Symbol.asyncDispose]();
      await runSql(url, `UPDATE conversation SET updated_at = ${at} WHERE id = '${id}'`);
    }
    await replicasIn(store).abandonRunning();
    expect(await replicasIn(store).abandoned()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    await store.open('a1');
    // One that is only open counts for nothing.
    await store.create('b3', { status: 'idle' }, { owner: 'b' });
    expect(await replicasIn(store).abandoned()).toEqual(['b1', 'c1', 'a2', 'b2', 'a3']);
    await store.open('b1');
    expect(await replicasIn(store).abandoned()).toEqual(['c1', 'a2', 'b2', 'a3']);
  });

  test('find what runs although nothing holds it, by its status or its goal', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    for (const [id, meta] of [
      ['idle', { status: 'finished', title: '"goal":"running"' }],
      ['run', { status: 'running' }],
      ['goal', { status: 'finished', goal: 'running' }],
    ] as const)
      await (await store.create(id, meta))[Symbol.asyncDispose]();
    await using held = await store.create('held', { status: 'running' });
    await replicasIn(store).abandonRunning();
    expect((await replicasIn(store).abandoned()).toSorted()).toEqual(['goal', 'run']);
    expect(await held.append([newEvent('a')])).toEqual([0]);
  });

  test('release the lease of a process that ended, which cannot append later, and no other', async () => {
    const url = await freshUrl();
    await using far = await postgresStore({ url, holder: elsewhere });
    await using store = await postgresStore({ url });
    const logs = [await far.create('ended', {}), await far.create('held', {})];
    await expireLeases(url, 'ended');
    for (const id of ['ended', 'held', 'missing']) await replicasIn(store).release(id);
    expect(await countRows(url, `conversation WHERE lease_until IS NOT NULL`)).toBe(1);
    const [ended, held] = await Promise.allSettled(logs.map(async (log) => log.append([newEvent('a')])));
    expect(ended).toMatchObject({ reason: { code: 'fenced' } });
    expect(held).toMatchObject({ value: [0] });
  });

  test('replace a record only in its expected version', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const { records } = replicasIn(store);
    expect(await records.read('r')).toEqual({ text: undefined, version: 0 });
    const writes = await Promise.all([records.write('r', 'a', 0), records.write('r', 'b', 0)]);
    expect(new Set(writes)).toEqual(new Set([false, true]));
    expect(await records.write('r', 'c', 1)).toBe(true);
    expect(await records.write('r', 'd', 1)).toBe(false);
    expect(await records.read('r')).toEqual({ text: 'c', version: 2 });
    expect(await records.write('r', 'e')).toBe(true);
    expect(await records.versionOf('r')).toBe(3);
    await records.remove('r');
    expect(await records.versionOf('r')).toBe(0);
  });

  test('list the names of records in a range', async () => {
    await using store = await postgresStore({ url: await freshUrl() });
    const { records } = replicasIn(store);
    for (const name of ['a/2', 'b', 'a/1', 'a/Z', 'a']) await records.write(name, 'text');
    expect(await records.names('a/', 'a0')).toEqual(['a/1', 'a/2', 'a/Z']);
    expect(await records.names('a/2', 'a/Z')).toEqual(['a/2']);
  });

  test('run exclusive work one after the other', async () => {
    const url = await freshUrl();
    await using one = await postgresStore({ url });
    await using other = await postgresStore({ url });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const order: string[] = [];
    const work = async (store: EventStore, name: string) =>
      replicasIn(store).records.exclusively('r', async () => {
        order.push(`${name} begins`);
        if (name === 'one') await ended;
        order.push(`${name} ends`);
        return name;
      });
    const first = work(one, 'one');
    await expect.poll(() => order).toEqual(['one begins']);
    const second = work(other, 'other');
    await replicasIn(other).records.exclusively('another', async () => order.push('another'));
    end();
    expect([await first, await second]).toEqual(['one', 'other']);
    expect(order).toEqual(['one begins', 'another', 'one ends', 'other begins', 'other ends']);
    await expect(
      replicasIn(one).records.exclusively('r', async () => Promise.reject(new Error('own'))),
    ).rejects.toThrow('own');
  });

  test.for([0, 249, 300.5, Number.NaN, Infinity])('reject a lease of %d ms', async (leaseMs) => {
    const error = {
      code: 'invalid',
      message: expect.stringContaining(`The leaseMs ${leaseMs} is not an integer from 250`),
    };
    await expect(postgresStore({ url: 'postgres://localhost/x', leaseMs })).rejects.toMatchObject(error);
  });
});
