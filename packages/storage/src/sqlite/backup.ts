import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { prepareFile, syncDirectory } from './database.ts';
import { toStorageError } from './errors.ts';
import { checkOwner } from './schema.ts';
import { retryWhileBusy } from './transaction.ts';

/** What is copied, and where to. */
export interface BackupOptions {
  /** The database file of the store. */
  readonly path: string;
  /** A file that does not exist; its directory is made when missing. */
  readonly to: string;
  /** How long to go on trying while other processes keep the database; default 10 seconds. */
  readonly busyMs?: number;
}

/**
 * Copies a store, as it is at one moment, into a file that is a store of its own: nobody holds a lease in it, and what
 * was deleted is not in it. Other processes read and write meanwhile, this one waits. The file appears whole, checked
 * and synced, or not at all.
 *
 * @throws {StorageError} `missing` when there is no store, `exists` when there is such a file, `invalid` for a database
 * of something else, `corrupt`, `full`, `io`.
 */
export async function backupSqlite({ path, to, busyMs = 10_000 }: BackupOptions): Promise<void> {
  const [source, target] = [resolve(path), resolve(to)];
  if (!existsSync(source)) throw new StorageError('missing', `There is no store ${source}.`);
  if (existsSync(target)) throw new StorageError('exists', `There is a file ${target} already.`);
  const draft = `${target}.${randomUUID()}`;
  try {
    prepareFile(draft);
    await retryWhileBusy(() => copy(source, draft), busyMs);
    finishCopy(draft);
    syncFile(draft);
    renameSync(draft, target);
    syncDirectory(dirname(target));
  } catch (error) {
    throw toStorageError(error, source);
  } finally {
    rmSync(draft, { force: true });
  }
}

function copy(source: string, draft: string): void {
  const database = new DatabaseSync(source);
  try {
    checkOwner(database, source);
    database.prepare('VACUUM INTO ?').run(draft);
  } finally {
    database.close();
  }
}

function finishCopy(draft: string): void {
  const database = new DatabaseSync(draft);
  try {
    const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new StorageError('corrupt', 'The store is damaged, so there is no copy of it.');
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
