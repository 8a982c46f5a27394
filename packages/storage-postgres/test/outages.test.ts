import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { appendStatement } from '../src/append.ts';
import { connect } from '../src/connection.ts';
import { parseUrl } from '../src/url.ts';
import { connectedClient, freshUrl, problem, runSql } from './server.ts';
import { tcpProxy } from './tcp-proxy.ts';

describe.skipIf(problem !== undefined)('while the database cannot be reached', () => {
  test('appends, reads and openings wait for it, and an append is stored once', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    await using store = await postgresStore({ url: url.href });
    const log = await store.create('c', {});
    await log.append([newEvent('a')]);
    await proxy.cut();
    const appended = log.append([newEvent('b'), newEvent('c')]);
    const created = store.create('d', {});
    const read = store.read('c');
    await proxy.restore();
    expect(await appended).toEqual([1, 2]);
    expect((await created).epoch).toBe(1);
    expect(await (await read).head()).toBe(3);
  });

  test('an append whose reply is lost is stored once', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url: `${url}&application_name=lost&pool_size=1` });
    const log = await store.create('c', {});
    for (let round = 0; round < 30; round += 1) {
      const append = log.append([newEvent(`e${round}`)], { expectedHead: round });
      const killed = runSql(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lost'`,
      );
      expect(await append).toEqual([round]);
      await killed;
    }
    expect(await log.head()).toBe(30);
  });

  test('the first append of a log is stored once if its connection fails before its statement has run', async () => {
    const direct = await freshUrl();
    const url = new URL(`${direct}&application_name=first`);
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    await using store = await postgresStore({ url: url.href });
    const log = await store.create('c', {});
    await using client = await connectedClient(direct);
    await using observer = await connectedClient(direct);
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'first' AND wait_event_type = 'Lock'`;
    await client.query(`BEGIN; SELECT 1 FROM conversation FOR UPDATE`);
    const appended = log.append([newEvent('a')]);
    for (const count of [1, 2]) {
      await expect.poll(async () => (await observer.query(waiting)).rowCount, { timeout: 5_000 }).toBe(count);
      await proxy.cut();
      await proxy.restore();
    }
    await client.query('COMMIT');
    expect(await appended).toEqual([0]);
    expect(await log.head()).toBe(1);
  });

  test('a statement that runs after later appends changes nothing', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const log = await store.create('c', {});
    await log.append([newEvent('a')]);
    await using client = await connectedClient(url);
    const { rows } = await client.query<{ key: string; schema: string }>(
      'SELECT key, current_schema AS schema FROM conversation',
    );
    const [{ key, schema } = { key: '', schema: '' }] = rows;
    const late = { key: Number(key), epoch: log.epoch, head: 0, events: [], statements: [], last: '', metaText: '{}' };
    for (const appends of [[late], [late, { ...late, key: 0 }]]) {
      const { sql, values } = appendStatement(schema, appends);
      expect((await client.query(sql, [...values])).rows).toEqual([]);
    }
    expect(await log.head()).toBe(1);
    expect(await log.append([newEvent('b')])).toEqual([1]);
  });

  test.for(['disk_full', 'internal_error'])(
    'appends and openings wait for a server without space: %s',
    async (code) => {
      const url = await freshUrl();
      await using store = await postgresStore({ url });
      const log = await store.create('c', {});
      await runSql(
        url,
        `CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'There is no space.' USING ERRCODE = '${code}'; END $$;
      CREATE TRIGGER no_space BEFORE INSERT ON event EXECUTE FUNCTION no_space();
      CREATE TRIGGER no_space BEFORE INSERT ON conversation EXECUTE FUNCTION no_space()`,
      );
      const appended = log.append([newEvent('a')]);
      const created = store.create('d', {});
      await runSql(url, 'DROP FUNCTION no_space CASCADE');
      expect(await appended).toEqual([0]);
      expect((await created).epoch).toBe(1);
    },
  );

  test('connections that a network forgot are given up together, after one statement without a reply', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    // Only a lease has a limit that passes.
    const limits = { lease: 200, statement: 600_000, transaction: 600_000, start: 600_000 };
    const connection = await connect({ target: parseUrl(url.href), pollMs: 600_000, creates: true, limits });
    const sleep = 'SELECT pg_sleep(0.02)';
    await Promise.all(Array.from({ length: 5 }, async () => connection.write(sleep)));
    proxy.forget();
    expect(await connection.lease('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await connection.write('SELECT 2 AS two')).toEqual([{ two: 2 }]);
    expect(await connection.transaction(async ({ query }) => query('SELECT 3 AS three'))).toEqual([{ three: 3 }]);
    expect(proxy.lost).toBe(1);
    await connection.close(async () => {});
  });

  test('a transaction begins on another connection if the first one does not reply', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const limits = { lease: 200, statement: 600_000, transaction: 600_000, start: 600_000 };
    const connection = await connect({ target: parseUrl(url.href), pollMs: 600_000, creates: true, limits });
    proxy.forget();
    expect(await connection.transaction(async ({ query }) => query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    await connection.close(async () => {});
  });

  test('a store that is closed does not wait for it', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const store = await postgresStore({ url: url.href });
    const log = await store.create('c', {});
    await proxy.cut();
    const appended = log.append([newEvent('a')]).catch(({ code }) => code as unknown);
    await store[Symbol.asyncDispose]();
    expect(await appended).toBe('io');
  });
});
