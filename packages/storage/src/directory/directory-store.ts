import { resolve } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { EventStore } from '../contract/store.ts';
import { type Holder, thisProcess } from '../kit/holder.ts';
import type { StoreScheme } from '../contract/store.ts';
import { nodeFiles } from './files.ts';
import { RootedStore } from './rooted-store.ts';
import type { OnWarning } from './warnings.ts';

/** Where a directory store lies and how it behaves. */
export interface DirectoryStoreOptions {
  /** The root: it holds one directory per conversation, and is made with the first of them when missing. */
  readonly path: string;
  /**
   * `fsync` (default): what was acknowledged survives a power failure. `buffered`: it survives a crash of the process,
   * and a power failure may take the last of it; faster.
   */
  readonly durability?: 'fsync' | 'buffered';
  /** How long a lease lasts without being renewed; default 45 seconds, the reference's. Renewed three times as often. */
  readonly leaseMs?: number;
  /** How often readers that tail look for appends of other processes, at most (and by default) 250. */
  readonly pollMs?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Who takes the leases; default this process. */
  readonly holder?: Holder;
  /** Is told what was found wrong and passed over; default nobody. Must not throw. */
  readonly warnings?: OnWarning;
}

/**
 * Keeps conversations in directories, one readable JSON file per event, in the layout of the OpenHands SDK: both systems
 * read, and one at a time continues, what the other wrote. Several processes of one machine may use it at the same time.
 *
 * Reading changes no byte. A log ends before its first gap and before broken files at its end; both are told to
 * `warnings`, and nothing of either is ever deleted.
 *
 * @throws {StorageError} `invalid` for a path that is empty.
 * @see software-agent-sdk openhands/sdk/conversation/event_store.py (appends here are O(1), synced, and fenced)
 */
export async function directoryStore(options: DirectoryStoreOptions): Promise<EventStore> {
  const { path, durability = 'fsync', pollMs = 250, leaseMs = 45_000 } = options;
  const { now = Date.now, holder = thisProcess(), warnings: warn = () => {} } = options;
  if (path === '' || path.includes('\0')) {
    throw new StorageError('invalid', `${JSON.stringify(path)} is not the path of a directory.`);
  }
  const files = nodeFiles(durability);
  return new RootedStore({ files, root: resolve(path), leaseMs, pollMs: Math.min(pollMs, 250), now, holder, warn });
}

/** Opens `dir:PATH` with the defaults. */
export const directoryScheme: StoreScheme = async (rest) => directoryStore({ path: rest });
