import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newEvent } from '../../storage/src/testing/events.ts';
import { connect } from '../src/connection.ts';
import { postgresStore } from '../src/postgres-store.ts';
import { parseUrl } from '../src/url.ts';
import { freshUrl, password, problem, runSql, testServer } from './server.ts';

const failureOf = async (url: string): Promise<Error> =>
  postgresStore({ url }).then(
    () => expect.unreachable(),
    (error: unknown) => error as Error,
  );

test('a server that does not answer is named without the password', async () => {
  const error = await failureOf('postgres://u:s3cret@127.0.0.1:1/d');
  expect(error).toMatchObject({
    code: 'io',
    message: expect.stringContaining('postgres://u@127.0.0.1:1/d cannot be reached'),
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
});

test('connections begin without parameters that a pooler refuses', async () => {
  const begun = Promise.withResolvers<Buffer>();
  await using server = createServer((socket) => socket.once('data', (data) => (begun.resolve(data), socket.destroy())));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await failureOf(`postgres://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`);
  const texts = (await begun.promise).subarray(8).toString().split('\0');
  const names = texts.filter((text, index) => index % 2 === 0 && text !== '');
  expect(names.toSorted()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
});

describe.skipIf(problem !== undefined)('a server', () => {
  test.for([
    [
      'another password',
      (url: string) => url.replace(encodeURIComponent(password), 's3cret'),
      'password authentication failed',
    ],
    ['another database', (url: string) => url.replace(/\/postgres$/, '/s3cret-'), 'does not exist'],
  ] as const)('refuses %s with a reason and without the password', async ([, change, reason]) => {
    const { url } = await testServer();
    const error = await failureOf(change(url));
    expect(error).toMatchObject({ code: 'io', message: expect.stringContaining(reason) });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(encodeURIComponent(password));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(password);
  });

  test('that is read-only, as a standby is, is named at the first connection', async () => {
    const url = new URL(await freshUrl());
    const reader = `reader_${process.pid}`;
    await runSql(url.href, `CREATE ROLE ${reader} SUPERUSER LOGIN PASSWORD '${reader}'`);
    await runSql(url.href, `ALTER ROLE ${reader} SET default_transaction_read_only = on`);
    [url.username, url.password] = [reader, reader];
    const error = await failureOf(url.href);
    expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('is read-only, as a standby is.') });
  });

  test('that ends the connections of a store is used again afterwards', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url: `${url}&application_name=ended` });
    const log = await store.create('c', {});
    const event = { id: 'a', kind: 'K', parentId: undefined, text: '{"id":"a","kind":"K"}' };
    await runSql(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`);
    await expect.poll(async () => log.append([event]).catch(({ code }) => code)).toEqual([0]);
    expect(await (await store.read('c')).head()).toBe(1);
  });

  test('ends a transaction whose process is stopped, and its waits for locks', async () => {
    const connection = await connect({ target: parseUrl(await freshUrl()), pollMs: 100, creates: true });
    const limits = `SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout') AS idle`;
    const rows = await connection.transaction(async ({ query }) => query(limits));
    expect(rows).toEqual([{ current_setting: '10s', idle: '10s' }]);
    await connection.close(async () => {});
  });

  test('wakes the readers of conversations that have grown, and no others', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url });
    const logs = [await store.create('a', {}), await store.create('b', {})];
    const connection = await connect({ target: parseUrl(url), pollMs: 10, creates: false });
    const keys = (await connection.read('SELECT key FROM ' + connection.sql.schema + '.conversation ORDER BY key')).map(
      ({ key }) => Number(key),
    );
    const woken: number[] = [];
    const wait = async (key: number): Promise<void> => {
      const wakeup = connection.wake.arm(key);
      await wakeup.fired(connection.closed);
      wakeup.disarm();
      woken.push(key);
    };
    // The heads are not known yet.
    await Promise.all([...keys.map(async (key) => wait(key)), store.create('c', {})]);
    woken.length = 0;
    const [, grown] = [wait(keys[0] ?? 0), wait(keys[1] ?? 0)];
    await logs[1]?.append([newEvent('x')]);
    await grown;
    expect(woken).toEqual([keys[1]]);
    await connection.close(async () => {});
  });
});
