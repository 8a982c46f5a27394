import { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { prepareFile } from './prepare-file.ts';
import { whenFree } from './transaction.ts';

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
    await whenFree(() => migrate(database, path, migrations), busyMs);
    await whenFree(() => writeAhead(database, path), busyMs);
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
