import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { migrate, migrations } from './schema.ts';
import { retryWhileBusy } from './transaction.ts';

/** How a database is opened. */
export interface DatabaseOptions {
  /** Absolute. */
  readonly path: string;
  /** `fsync`: a commit is on the disk when it returns. `buffered`: a power failure may take the last commits. */
  readonly durability: 'fsync' | 'buffered';
  readonly busyMs: number;
}

/** Opens the database file, made and migrated when need be, in write-ahead mode. Throws SQLite's errors and the system's. */
export async function openDatabase({ path, durability, busyMs }: DatabaseOptions): Promise<DatabaseSync> {
  prepareFile(path);
  const database = new DatabaseSync(path);
  try {
    // SQLite sleeps with the event loop when it waits; `whenFree` does not, so SQLite may only try once more.
    database.exec('PRAGMA busy_timeout = 2');
    await retryWhileBusy(() => migrate(database, path, migrations), busyMs);
    await retryWhileBusy(() => writeAhead(database, path), busyMs);
    database.exec(`PRAGMA synchronous = ${durability === 'fsync' ? 'FULL' : 'NORMAL'}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function writeAhead(database: DatabaseSync, path: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode === 'wal') return;
  throw new StorageError('io', `${path} lies on a file system without shared memory, which write-ahead logs need.`);
}

/**
 * Makes the file, for its owner only, and the directories above it that are missing. SQLite gives its other files the
 * mode of this one. What exists keeps its mode.
 */
export function prepareFile(path: string): void {
  const first = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeFile(path);
  if (first === undefined) return;
  // SQLite syncs the directory of its files; nobody else syncs the entries of those above.
  for (let made = dirname(path); made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

function makeFile(path: string): void {
  try {
    // Only a file that nobody has open yet may be closed: closing drops the locks of all connections in this process.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Puts the names in a directory on the disk. */
export function syncDirectory(path: string): void {
  // Windows opens no directories.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
