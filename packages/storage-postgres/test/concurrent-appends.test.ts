import { randomBytes } from 'node:crypto';
import type { EventStore } from '@varve/storage';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, countRows, expireLeases, freshUrl, problem, runSql } from './server.ts';

/** Creates conversations with one event each. */
async function createdLogs(store: EventStore, count: number) {
  const logs = await Promise.all(Array.from({ length: count }, async (_, n) => store.create(`c${n}`, {})));
  await Promise.all(logs.map(async (log) => log.append([newEvent('a')])));
  return logs;
}

/** Returns the number of transactions that stored the second events. */
async function countCommits(url: string): Promise<number> {
  await using client = await connectedClient(url);
  return (await client.query('SELECT DISTINCT xmin::text FROM event WHERE seq = 1')).rows.length;
}

/** Returns the error code of each append, or its seqs. */
async function outcomes(appends: readonly Promise<readonly number[]>[]): Promise<readonly unknown[]> {
  const results = await Promise.allSettled(appends);
  return results.map((result) =>
    result.status === 'fulfilled' ? result.value : (result.reason as { readonly code: unknown }).code,
  );
}

describe.skipIf(problem !== undefined)('appends to different conversations at the same time', () => {
  test('share commits, and each is stored with its own head', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const logs = await createdLogs(store, 40);
    const appends = logs.map(async (log) => log.append([newEvent('b'), newEvent('c')]));
    expect(await Promise.all(appends)).toEqual(logs.map(() => [1, 2]));
    for (const log of logs) expect(await Array.fromAsync(log.range(0), ({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(await countCommits(url)).toBeLessThan(20);
  });

  test.for([
    ['duplicate', 'a'],
    ['invalid', randomBytes(10_000).toString('hex')],
  ])('fail alone as %s, and fenced', async ([code, id = '']) => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const logs = await createdLogs(store, 20);
    await runSql(url, `UPDATE conversation SET lease_epoch = lease_epoch + 1 WHERE id = 'c19'`);
    const appends = logs.map(async (log, n) => log.append([newEvent(n === 18 ? id : 'b', { note: 'other' })]));
    expect(await outcomes(appends)).toEqual([...logs.slice(2).map(() => [1]), code, 'fenced']);
    expect(await countRows(url, 'event')).toBe(20 + 18);
  });

  test('store nothing of a holder that the same process has overtaken', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const logs = await createdLogs(store, 4);
    const before = await store.create('c', {});
    for (const id of ['a', 'b', 'c']) await before.append([newEvent(id)]);
    await expireLeases(url, 'c');
    const after = await store.open('c', { purpose: 'repair' });
    await after.proof?.cut(0);
    await after[Symbol.asyncDispose]();
    const last = await store.open('c');
    await last.append([newEvent('first')]);
    // Those of the others run, so that the next ones wait and may share a statement.
    const appends = [...logs, before, last].map(async (log, n) => log.append([newEvent(`n${n}`)]));
    expect(await outcomes(appends)).toEqual([[1], [1], [1], [1], 'fenced', [1]]);
    expect(await Array.fromAsync(last.range(0), ({ id }) => id)).toEqual(['first', 'n5']);
  });

  test('do not wait for one whose conversation is locked', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const logs = await createdLogs(store, 20);
    await using client = await connectedClient(url);
    await client.query(`BEGIN; SELECT 1 FROM conversation WHERE id = 'c19' FOR UPDATE`);
    const appends = logs.map(async (log) => log.append([newEvent('b')]));
    expect(await Promise.all(appends.slice(0, 19))).toEqual(logs.slice(0, 19).map(() => [1]));
    expect(await countCommits(url)).toBeLessThan(10);
    await client.query('COMMIT');
    expect(await appends[19]).toEqual([1]);
  });
});

test.skipIf(problem !== undefined)('a conversation is removed with its events', async () => {
  const url = await freshUrl();
  await using store = await postgresStore({ url });
  for (const log of await createdLogs(store, 2)) {
    await log[Symbol.asyncDispose]();
  }
  await store.remove('c0');
  expect(await countRows(url, 'event')).toBe(1);
});
