import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { postgresStore } from '../src/postgres-store.ts';
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

  test('that ends the connections of a store is used again afterwards', async () => {
    const url = await freshUrl();
    await using store = await postgresStore({ url: `${url}&application_name=ended` });
    const log = await store.create('c', {});
    const event = { id: 'a', kind: 'K', parentId: undefined, text: '{"id":"a","kind":"K"}' };
    await runSql(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'`);
    await expect.poll(async () => log.append([event]).catch(({ code }) => code)).toEqual([0]);
    expect(await (await store.read('c')).head()).toBe(1);
  });
});
