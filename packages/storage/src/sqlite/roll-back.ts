import type { DatabaseSync } from 'node:sqlite';

/** Ends a transaction that failed, if SQLite has not ended it. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A full disk or a failed write has rolled back already; the error that the caller has says more than this one.
  }
}
