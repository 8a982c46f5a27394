import { resolve } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { EventStore } from '../contract/store.ts';
import { ConnectedStore } from './connected-store.ts';
import { connect } from './connection.ts';
import { type Holder, thisProcess } from '../kit/holder.ts';

/** Where a SQLite store lies and how it behaves. */
export interface SqliteStoreOptions {
  /** The database file; it and its directory are made when missing. */
  readonly path: string;
  /**
   * `fsync` (default): what was acknowledged survives a power failure. `buffered`: it survives a crash of the process,
   * and a power failure may take the last of it; faster.
   */
  readonly durability?: 'fsync' | 'buffered';
  /** How long a lease lasts without being renewed; default 30 seconds. Renewed three times as often. */
  readonly leaseMs?: number;
  /** How often readers that tail look for appends of other processes, at most 250; default 100. */
  readonly pollMs?: number;
  /** How long to go on trying while other processes write; default 10 seconds. */
  readonly busyMs?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Who takes the leases; default this process. */
  readonly holder?: Holder;
}

/**
 * Keeps conversations in one SQLite file that several processes of one machine may use at the same time.
 *
 * @throws {StorageError} `io`, `full`, `corrupt` for what is no database, `invalid` for a database of something else or
 * of a newer version.
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<EventStore> {
  const { durability = 'fsync', pollMs = 100, busyMs = 10_000 } = options;
  const { leaseMs = 30_000, now = Date.now, holder = thisProcess() } = options;
  if (options.path === '' || options.path === ':memory:') {
    throw new StorageError('invalid', `${JSON.stringify(options.path)} is not the path of a file.`);
  }
  const connection = await connect({ path: resolve(options.path), durability, busyMs, pollMs: Math.min(pollMs, 250) });
  return new ConnectedStore(connection, { leaseMs, now, holder });
}
