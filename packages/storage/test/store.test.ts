import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, memoryStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, test } from 'vitest';
import type { DirectoryStoreOptions } from '../src/directory/directory-store.ts';
import type { SqliteStoreOptions } from '../src/sqlite/sqlite-store.ts';

/** Harness of each store. Add a line for a new store. */
const stores: Record<string, (directory: string) => StoreHarness> = {
  memory: () => ({ open: async () => memoryStore(), keepsProof: true, findsFacts: true }),
  'sqlite, fsync': (directory) => sqlite({ path: join(directory, 'store.db'), durability: 'fsync' }),
  'sqlite, buffered': (directory) => sqlite({ path: join(directory, 'store.db'), durability: 'buffered' }),
  'directory, fsync': (directory) => directories({ path: directory, durability: 'fsync' }),
  'directory, buffered': (directory) => directories({ path: directory, durability: 'buffered' }),
};

/** Returns a harness with long leases and a clock that the checks advance. */
function shared(
  openAt: (options: { leaseMs: number; pollMs: number; now: () => number }) => Promise<EventStore>,
): StoreHarness {
  const leaseMs = 3_600_000;
  let shift = 0;
  const open = async () => openAt({ leaseMs, pollMs: 20, now: () => Date.now() + shift });
  const expireLeases = (): void => void (shift += 2 * leaseMs);
  const crash = async () => (expireLeases(), open());
  return { open, reopen: open, crash, expireLeases, keepsProof: true, findsFacts: true };
}

function directories(options: DirectoryStoreOptions): StoreHarness {
  return shared(async (times) => directoryStore({ ...options, ...times }));
}

function sqlite(options: SqliteStoreOptions): StoreHarness {
  return shared(async (times) => sqliteStore({ ...options, ...times }));
}

describe.for(Object.entries(stores))('the store %s', ([, harness]) => {
  const checks = eventStoreContract.filter((check) => checkApplies(check, harness('')));
  test.for(checks)('$title', async (check) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await check.run(harness(directory.path));
  });
});
