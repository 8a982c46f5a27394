import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, countRows, freshUrl, problem } from './server.ts';

const note = 'x'.repeat(40_000);

/** Waits until a statement about the schema of a URL waits for a lock. */
async function untilBlocked(url: string): Promise<void> {
  await using client = await connectedClient(url);
  const schema = new URL(url).searchParams.get('schema') ?? '';
  const blocked = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}".%'`;
  await expect.poll(async () => (await client.query(blocked)).rowCount).toBeGreaterThan(0);
}

describe.skipIf(problem !== undefined)('a long string', () => {
  test('that another transaction starts to use while its last event is removed is kept', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    await using log = await store.create('c', {});
    await using other = await store.create('other', {});
    await log.append([newEvent('a')]);
    await other.append([newEvent('a', { note })]);
    await other[Symbol.asyncDispose]();
    await using client = await connectedClient(url);
    await client.query('BEGIN');
    await client.query(`
      INSERT INTO event_blob (conversation, seq, at, blob)
      SELECT conversation.key, 0, 0, blob.key FROM conversation, blob WHERE conversation.id = 'c'`);
    const removed = store.remove('other');
    await untilBlocked(url);
    await client.query('COMMIT');
    await removed;
    expect(await countRows(url, 'blob')).toBe(1);
  });

  test('that is appended while another transaction removes its last event is stored again', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    await using log = await store.create('c', {});
    await using other = await store.create('other', {});
    await other.append([newEvent('a', { note })]);
    await using client = await connectedClient(url);
    await client.query('BEGIN');
    await client.query(`DELETE FROM conversation WHERE id = 'other'`);
    const appended = log.append([newEvent('b', { note })]);
    await untilBlocked(url);
    await client.query('COMMIT');
    expect(await appended).toEqual([0]);
    expect((await log.at(0)).text).toBe(newEvent('b', { note }).text);
  });

  test('is stored with any number of others in one append', async () => {
    await using store = await postgresStore({ url: await freshUrl() });
    for (const count of [1, 3, 5, 70]) {
      await using log = await store.create(`c${count}`, {});
      const events = Array.from({ length: count }, (_, n) => newEvent(`e${n}`, { note: `${note}${n}` }));
      await log.append(events);
      expect(await Array.fromAsync(log.range(0), ({ text }) => text)).toEqual(events.map(({ text }) => text));
    }
  });

  test('is stored once for concurrent appends, and removed with the last of them', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const ids = Array.from({ length: 8 }, (_, index) => `c${index}`);
    const append = async (id: string) => {
      await using log = await store.create(id, {});
      await log.append([newEvent('a', { note }), newEvent('b', { note: `${note}y` })]);
    };
    await Promise.all(ids.map(append));
    expect(await countRows(url, 'blob')).toBe(2);
    await Promise.all(ids.map(async (id) => store.remove(id)));
    expect(await countRows(url, 'blob')).toBe(0);
  });
});
