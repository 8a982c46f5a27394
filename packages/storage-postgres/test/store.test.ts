import type { EventStore } from '@varve/storage';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, test } from 'vitest';
import { postgresStore } from '../src/postgres-store.ts';
import { expireLeases, freshUrl, problem, runSql } from './server.ts';

const leaseMs = 3_600_000;

/** Returns a harness whose leases expire because the database's clock advances. */
function harness(url: string): StoreHarness {
  const open = async (): Promise<EventStore> => postgresStore({ url, leaseMs, pollMs: 20 });
  const expire = async () => expireLeases(url);
  const crash = async () => (await expire(), open());
  return { open, reopen: open, crash, expireLeases: expire, keepsProof: true, findsFacts: true };
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
