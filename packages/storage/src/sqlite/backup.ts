import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, syncDirectorySync, temporaryPath } from '@varve/files';
import { StorageError } from '../contract/error.ts';
import { openUnshared, prepareFile } from './database.ts';
import { checkFiles, databasePath } from './database-path.ts';
import { toStorageError } from './errors.ts';
import { checkOwner } from './schema.ts';
import { retryWhileBusy } from './transaction.ts';

/** Options of `backupSqlite`. */
export interface BackupOptions {
  /** The database file of the store. */
  readonly path: string;
  /** A file that does not exist; its directory is created if missing. */
  readonly to: string;
  /** Milliseconds to retry while other processes lock the database; default 10 seconds. */
  readonly busyMs?: number;
}

/**
 * Copies one consistent state of a store to a new file. The copy is a store without leases and without deleted data.
 * Other processes can read and write during the copy; this process is blocked. The file appears complete, checked and
 * synced, or not at all.
 *
 * @throws {StorageError} `missing` if there is no store, `exists` if the file exists, `invalid` for a database of
 * another application, `corrupt`, `full`, `io`.
 */
export async function backupSqlite({ path, to, busyMs = 10_000 }: BackupOptions): Promise<void> {
  const [named, target] = [resolve(path), resolve(to)];
  const source = existsSync(named) ? databasePath(named) : named;
  if (!existsSync(source)) throw new StorageError('missing', `There is no store ${source}.`);
  if (existsSync(target)) throw existing(target);
  const draft = temporaryPath(target);
  try {
    checkFiles(source);
    prepareFile(draft);
    await retryWhileBusy(() => copy(source, draft), busyMs);
    finishCopy(draft);
    syncFile(draft);
    moveIntoPlace(draft, target);
    syncDirectorySync(dirname(target));
  } catch (error) {
    throw toStorageError(error, source);
  } finally {
    rmSync(draft, { force: true });
  }
}

function existing(target: string): StorageError {
  return new StorageError('exists', `There is a file ${target} already.`);
}

/** Moves the copy to its name, and never replaces a file, even one that appeared this moment. */
function moveIntoPlace(draft: string, target: string): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' || existsSync(target)) throw existing(target);
    // A file system without hard links.
    return renameSync(draft, target);
  }
  rmSync(draft);
}

function copy(source: string, draft: string): void {
  const database = openSource(source);
  try {
    database.prepare('VACUUM INTO ?').run(draft);
  } finally {
    database.close();
  }
}

function openSource(source: string): DatabaseSync {
  const database = new DatabaseSync(source);
  try {
    checkOwner(database, source);
    return database;
  } catch (error) {
    database.close();
    const unshared = openUnshared(source, error);
    if (!unshared) throw error;
    return unshared;
  }
}

/** Checks the copy and removes the leases from it. */
function finishCopy(draft: string): void {
  const database = new DatabaseSync(draft);
  try {
    const result = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (result !== 'ok') throw new StorageError('corrupt', 'The store is damaged, so it was not copied.');
    database.exec(`
      UPDATE conversation
      SET lease_holder = NULL, lease_host = NULL, lease_pid = NULL, lease_boot = NULL, lease_until = NULL`);
  } finally {
    database.close();
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
