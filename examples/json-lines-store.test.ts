import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { test } from 'vitest';
import { jsonLinesStore } from './json-lines-store/json-lines-store.ts';

/** Long leases, on a clock that the checks advance. */
function harness(path: string): StoreHarness {
  const leaseMs = 3_600_000;
  let shift = 0;
  const open = async () => jsonLinesStore({ path, leaseMs, now: () => Date.now() + shift });
  const expireLeases = (): void => void (shift += 2 * leaseMs);
  const crash = async () => (expireLeases(), open());
  return { open, reopen: open, crash, expireLeases, findsFacts: true };
}

const checks = eventStoreContract.filter((check) => checkApplies(check, harness('')));

test.for(checks)('the JSON lines store: $title', async (check) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  await check.run(harness(directory.path));
});
