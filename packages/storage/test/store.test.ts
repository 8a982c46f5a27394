import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, memoryStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { checkApplies, eventStoreContract, type StoreHarness } from '@varve/storage/testing';
import { describe, test } from 'vitest';
import type { DirectoryStoreOptions } from '../src/directory/directory-store.ts';
import type { SqliteStoreOptions } from '../src/sqlite/sqlite-store.ts';
import { encryptedStore } from './encrypted-store.ts';
import { appendChecks } from '../src/testing/append-checks.ts';
import { crashChecks } from '../src/testing/crash-checks.ts';

/** Harness of each store. Add a line for a new store. */
const stores: Record<string, (directory: string) => StoreHarness> = {
  memory: () => ({ open: async () => memoryStore(), keepsProof: true, findsFacts: true }),
  sqlite: (directory) => sqlite({ path: join(directory, 'store.db') }),
  directory: (directory) => directories({ path: directory }),
  'sqlite, wrapped': (directory) => wrapped(sqlite({ path: join(directory, 'store.db'), durability: 'buffered' })),
  'memory, encrypted': () => ({ open: async () => encryptedStore(memoryStore()) }),
};

/** Harness of each store that does not wait for the disk: reading, leases and following are the same. */
const buffered: typeof stores = {
  'sqlite, buffered': (directory) => sqlite({ path: join(directory, 'store.db'), durability: 'buffered' }),
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

/** Returns a harness whose stores pass what they open, append and read through functions of a wrapper. */
function wrapped({ open, reopen = open, crash = reopen, ...harness }: StoreHarness): StoreHarness {
  const wrapping = { open: () => wrap(open()), reopen: () => wrap(reopen()) };
  return { ...harness, ...wrapping, crash: (store) => wrap(crash(store)) };
}

async function wrap(opening: Promise<EventStore>): Promise<EventStore> {
  const store = await opening;
  return wrapStore(store, {
    create: async (...args) => store.create(...args),
    log: (log) => ({ append: (...args) => log.append(...args), range: (...args) => log.range(...args) }),
    reader: (reader) => ({ range: (...args) => reader.range(...args) }),
  });
}

function directories(options: DirectoryStoreOptions): StoreHarness {
  return shared(async (times) => directoryStore({ ...options, ...times }));
}

function sqlite(options: SqliteStoreOptions): StoreHarness {
  return shared(async (times) => sqliteStore({ ...options, ...times }));
}

describe.for([
  ...Object.entries(stores).map((store) => [...store, eventStoreContract] as const),
  ...Object.entries(buffered).map((store) => [...store, [...appendChecks, ...crashChecks]] as const),
])('the store %s', ([, harness, contract]) => {
  const checks = contract.filter((check) => checkApplies(check, harness('')));
  test.for(checks)('$title', async (check) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
    await check.run(harness(directory.path));
  });
});
