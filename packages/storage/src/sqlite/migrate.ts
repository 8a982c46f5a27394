import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { rollBack } from './roll-back.ts';

/** Marks a SQLite file as ours: "varv". */
const applicationId = 0x76617276;

/**
 * Brings a database to the newest schema, one transaction per step. Waits for nobody: a database that another process
 * is migrating is busy.
 *
 * @throws {StorageError} `invalid` for a database that is not ours or that a newer version wrote; SQLite's own errors.
 */
export function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  while (nextStep(database, path, migrations) !== undefined) {
    database.exec('BEGIN IMMEDIATE');
    try {
      // Asked again inside the transaction: another process may have taken the step meanwhile.
      const step = nextStep(database, path, migrations);
      if (step !== undefined) database.exec(step);
      database.exec('COMMIT');
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}

/** Refuses a database that is not ours and not empty. @throws {StorageError} `invalid`. */
export function checkOwner(database: DatabaseSync, path: string): void {
  const owner = number(database, 'PRAGMA application_id');
  const isEmpty = number(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (owner === applicationId || (owner === 0 && isEmpty)) return;
  throw new StorageError('invalid', `${path} is a database of something else.`);
}

function nextStep(database: DatabaseSync, path: string, migrations: readonly string[]): string | undefined {
  checkOwner(database, path);
  const version = number(database, 'PRAGMA user_version');
  if (version > migrations.length) {
    throw new StorageError('invalid', `${path} has schema ${version}, newer than the ${migrations.length} known here.`);
  }
  const step = migrations[version];
  if (step === undefined) return undefined;
  return `${step}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version + 1};`;
}

function number(database: DatabaseSync, sql: string): number {
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  return typeof value === 'number' ? value : Number.NaN;
}
