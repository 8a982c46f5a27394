import type { EventStore } from '@varve/storage';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, test } from 'vitest';
import { postgresStore } from '../src/postgres-store.ts';
import { freshUrl, problem, runSql } from './server.ts';

const leaseMs = 3_600_000;

/** Returns a harness whose leases expire because the database's clock advances. */
function harness(url: string): StoreHarness {
  const open = async (): Promise<EventStore> => postgresStore({ url, leaseMs, pollMs: 20 });
  const expireLeases = async () =>
    runSql(url, `UPDATE conversation SET lease_until = lease_until - ${2 * leaseMs} WHERE lease_until IS NOT NULL`);
  const crash = async () => (await expireLeases(), open());
  return { open, reopen: open, crash, expireLeases, keepsProof: true, findsFacts: true };
}

describe.skipIf(problem !== undefined)('the PostgreSQL store', () => {
  const checks = eventStoreContract.filter((check) => checkApplies(check, harness('')));
  let url: string | undefined;
  test.for(checks)('$title', async (check) => {
    // Tables that exist are emptied faster than new ones are created.
    if (url === undefined) url = await freshUrl();
    else await runSql(url, 'TRUNCATE conversation, blob CASCADE');
    await check.run(harness(url));
  });
});
