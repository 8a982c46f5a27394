import { describe, expect, test } from 'vitest';
import { postgresStore } from '../src/postgres-store.ts';
import { connectedClient, freshUrl, problem, testServer } from './server.ts';

/** Returns a URL of a new schema with parameters, in which FILE is the certificate of its authority. */
async function urlWith(parameters: string, host = '127.0.0.1'): Promise<string> {
  const { authority = '' } = await testServer();
  const url = `${await freshUrl()}&application_name=tls&${parameters.replace('FILE', encodeURIComponent(authority))}`;
  return url.replace('@127.0.0.1', `@${host}`);
}

/** Returns whether the connections of stores are encrypted. */
async function encryptions(): Promise<readonly boolean[]> {
  const { url } = await testServer();
  await using client = await connectedClient(url);
  const { rows }: { readonly rows: readonly { readonly ssl: boolean }[] } = await client.query(
    `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tls'`,
  );
  return [...new Set(rows.map(({ ssl }) => ssl))];
}

const isOther = process.env['VARVE_TEST_POSTGRES'] !== undefined;

describe.skipIf(problem !== undefined || isOther)('a connection', () => {
  test.for([
    ['sslmode=verify-full&sslrootcert=FILE', '127.0.0.1', true],
    ['sslmode=verify-ca&sslrootcert=FILE', 'localhost', true],
    ['sslmode=require', 'localhost', true],
    ['sslmode=disable', '127.0.0.1', false],
    ['', '127.0.0.1', false],
  ] as const)('with the parameters "%s" to %s is encrypted: %s', async ([parameters, host, isEncrypted]) => {
    await using store = await postgresStore({ url: await urlWith(parameters, host) });
    await store.create('c', {});
    // The server may still list connections that have ended.
    await expect.poll(encryptions).toEqual([isEncrypted]);
  });

  test.for([
    ['sslmode=verify-full&sslrootcert=FILE', 'localhost', "does not match certificate's altnames"],
    ['sslmode=verify-full', '127.0.0.1', 'unable to verify the first certificate'],
    ['sslmode=verify-ca', '127.0.0.1', 'unable to verify the first certificate'],
  ] as const)('with the parameters "%s" to %s is refused', async ([parameters, host, reason]) => {
    const error = { code: 'io', message: expect.stringContaining(reason) };
    await expect(postgresStore({ url: await urlWith(parameters, host) })).rejects.toMatchObject(error);
  });
});
