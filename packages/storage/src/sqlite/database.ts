import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errnoOf, makeDirectories, syncDirectorySync } from '@varve/files';
import { StorageError } from '../contract/error.ts';
import { checkFiles } from './database-path.ts';
import { resultCode, resultCodes } from './errors.ts';
import { migrate, migrations, versionOf } from './schema.ts';
import { retryWhileBusy } from './transaction.ts';

/** Options of `openDatabase`. */
export interface DatabaseOptions {
  /** Absolute path with links resolved. */
  readonly path: string;
  /** `fsync`: a commit is on the disk when it returns. `buffered`: a power failure may lose the last commits. */
  readonly durability: 'fsync' | 'buffered';
  readonly busyMs: number;
}

/**
 * Opens the database file in write-ahead mode, and creates or migrates it. A file on a read-only file system is opened
 * for reading, if it has the current version. Throws errors of SQLite and the system.
 *
 * @throws {StorageError} `io` for a file that other processes may open by another name, or next to which SQLite's
 * other files are no files.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DatabaseSync> {
  const { path } = options;
  checkFiles(path);
  if (isOnReadOnlyFileSystem(path)) return openReadOnly(path);
  prepareFile(path);
  const database = new DatabaseSync(path);
  try {
    await prepareDatabase(database, options);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function prepareDatabase(database: DatabaseSync, { path, durability, busyMs }: DatabaseOptions): Promise<void> {
  // While SQLite waits it blocks the event loop; `retryWhileBusy` does not, so SQLite itself may try only once more.
  database.exec('PRAGMA busy_timeout = 2');
  await retryWhileBusy(() => migrate(database, path, migrations), busyMs);
  await retryWhileBusy(() => enableWal(database, path), busyMs);
  database.exec(`PRAGMA synchronous = ${durability === 'fsync' ? 'FULL' : 'NORMAL'}`);
}

/**
 * Opens a database for reading without writing any file; writes to it fail. Its last process must have closed it: the
 * content of a remaining write-ahead log is not read.
 *
 * @throws {StorageError} `io` if such a log exists or the version is not the current one.
 * @see https://www.sqlite.org/wal.html#readonly
 */
export function openReadOnly(path: string): DatabaseSync {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new StorageError('io', `${path} is on a read-only file system, and has commits that are not written back.`);
  }
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const version = versionOf(database, path, migrations);
    if (version === migrations.length) return database;
    throw new StorageError(
      'io',
      `${path} is on a read-only file system, and its schema ${version} must be updated to ${migrations.length}.`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Results of opening a database whose write-ahead log or shared memory cannot be created. */
const withoutFiles = new Set<number | undefined>([resultCodes.full, resultCodes.io, resultCodes.cannotOpen]);

/**
 * Opens an existing database without the shared memory that a full disk has no space for, after the failure to open it
 * with that; commits that are not written back are read, too. No other connection can be open at that time. Returns
 * undefined after another failure, and if the version is not the current one.
 *
 * @see https://www.sqlite.org/wal.html#noshm
 */
export function openUnshared(path: string, failure: unknown): DatabaseSync | undefined {
  if (!withoutFiles.has(resultCode(failure)) || !existsSync(path)) return undefined;
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    if (versionOf(database, path, migrations) === migrations.length) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

/**
 * Shares a database that {@link openUnshared} opened, so that it can be written to. SQLite creates the shared memory
 * only when it enters the mode of write-ahead logs.
 */
export async function shareDatabase(database: DatabaseSync, options: DatabaseOptions): Promise<void> {
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL');
  await prepareDatabase(database, options);
}

function isOnReadOnlyFileSystem(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}

function enableWal(database: DatabaseSync, path: string): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode === 'wal') return;
  throw new StorageError('io', `${path} is on a file system without shared memory, which write-ahead logs need.`);
}

/**
 * Creates the file with access for its owner only, and the missing directories above it. SQLite creates its other files
 * with the mode of this one. An existing file keeps its mode.
 */
export function prepareFile(path: string): void {
  const made = makeDirectories(dirname(path), 0o700);
  createFile(path);
  // SQLite syncs the directory of its files, but not the entries of the directories above.
  for (const directory of made.toReversed()) syncDirectorySync(dirname(directory));
}

function createFile(path: string): void {
  try {
    // Only a file that is not open yet may be closed: closing drops the locks of all connections in this process.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
