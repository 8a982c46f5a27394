import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@varve/storage';
import { directoryStore, type DirectoryStoreOptions } from '@varve/storage/directory';
import { type SqliteStoreOptions, sqliteStore } from '@varve/storage/sqlite';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, test } from 'vitest';

/** Every store: add its line here. */
const stores: Record<string, (directory: string) => StoreHarness> = {
  memory: () => ({ open: async () => memoryStore(), keepsProof: true, findsFacts: true }),
  'sqlite, fsync': (directory) => sqlite({ path: join(directory, 'store.db'), durability: 'fsync' }),
  'sqlite, buffered': (directory) => sqlite({ path: join(directory, 'store.db'), durability: 'buffered' }),
  'directory, fsync': (directory) => directories({ path: directory, durability: 'fsync' }),
  'directory, buffered': (directory) => directories({ path: directory, durability: 'buffered' }),
};

function directories(options: DirectoryStoreOptions): StoreHarness {
  const leaseMs = 3_600_000;
  let shift = 0;
  const open = async () => directoryStore({ ...options, leaseMs, pollMs: 20, now: () => Date.now() + shift });
  return { open, reopen: open, expireLeases: () => (shift += 2 * leaseMs), keepsProof: true, findsFacts: true };
}

function sqlite(options: SqliteStoreOptions): StoreHarness {
  const leaseMs = 3_600_000;
  let shift = 0;
  const open = async () => sqliteStore({ ...options, leaseMs, pollMs: 20, now: () => Date.now() + shift });
  return { open, reopen: open, expireLeases: () => (shift += 2 * leaseMs), keepsProof: true, findsFacts: true };
}

describe.for(Object.entries(stores))('the store %s', ([, harness]) => {
  const checks = eventStoreContract.filter((check) => checkApplies(check, harness('')));
  test.for(checks)('$title', { timeout: 120_000 }, async (check) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await check.run(harness(directory.path));
  });
});
