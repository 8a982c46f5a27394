import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { StorageError } from '../contract/error.ts';
import type { EventStore, StoreScheme } from '../contract/store.ts';
import { type Holder, thisProcess } from '../kit/holder.ts';
import { withStorageErrors } from '../kit/disk-error.ts';
import { nodeFiles } from './layout/files.ts';
import { RootedStore } from './rooted-store.ts';
import type { OnWarning } from './layout/warnings.ts';

/** Options of `directoryStore`. */
export interface DirectoryStoreOptions {
  /** Root directory, with one directory per conversation. Created with the first conversation if missing. */
  readonly path: string;
  /**
   * `fsync` (default): acknowledged appends survive a power failure. `buffered`: they survive a crash of the process,
   * but a power failure may lose the latest ones; faster.
   */
  readonly durability?: 'fsync' | 'buffered';
  /**
   * Time until a lease expires if it is not renewed; default 45 seconds, as in the reference. Renewed after a third of
   * it.
   */
  readonly leaseMs?: number;
  /** Interval at which `tail` checks for appends of other processes; default and maximum 250. */
  readonly pollMs?: number;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Lease holder; default this process. */
  readonly holder?: Holder;
  /** Receives warnings about problems that the store works around; default none. Must not throw. */
  readonly warnings?: OnWarning;
}

/**
 * Opens a store that keeps conversations in directories, with one readable JSON file per event, in the layout of the
 * OpenHands SDK. Each system can read the other's conversations, and one of them at a time can append. Several
 * processes of one machine may use the store concurrently.
 *
 * Reading changes no file. A log ends before its first gap, and before broken files at its end; both are reported to
 * `warnings`, and their files are never deleted.
 *
 * @throws {StorageError} `invalid` for an empty path or one with a NUL; `io` for a path of anything but a directory, or
 * whose directory cannot be reached.
 * @see software-agent-sdk openhands/sdk/conversation/event_store.py (appends here are O(1), synced and fenced)
 */
export async function directoryStore(options: DirectoryStoreOptions): Promise<EventStore> {
  const { path, durability = 'fsync', pollMs = 250, leaseMs = 45_000 } = options;
  const { now = Date.now, holder = thisProcess(), warnings: warn = () => {} } = options;
  if (path === '' || path.includes('\0')) {
    throw new StorageError('invalid', `${JSON.stringify(path)} is not the path of a directory.`);
  }
  await withStorageErrors(() => checkDirectory(path));
  const files = nodeFiles(durability);
  return new RootedStore({ files, root: resolve(path), leaseMs, pollMs: Math.min(pollMs, 250), now, holder, warn });
}

/** A file has no entries, so it would look like a store without conversations. */
function checkDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  throw new StorageError('io', `${path} is not a directory.`);
}

/** Opens `dir:PATH` with default options. */
export const directoryScheme: StoreScheme = async (rest) => directoryStore({ path: rest });
