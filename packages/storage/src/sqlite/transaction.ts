import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/**
 * Runs the work, and retries it while the database is busy, for at most `busyMs` and once more. Other work of this
 * process runs between two tries. The last busy error, and any other error, is rethrown.
 */
export async function retryWhileBusy<T>(work: () => T, busyMs: number): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (let tries = 0; ; tries += 1) {
    // Decided before the try: a process that was stopped until after the deadline has not tried since.
    const isLast = busyMs === 0 || (tries > 0 && performance.now() >= deadline);
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || isLast) throw error;
    }
    // Jitter, or two processes that failed together fail together again.
    await setTimeout(1 + Math.random() * Math.min(20, tries));
  }
}

/** Rolls back a failed transaction, unless SQLite has done so. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A full disk or a failed write has rolled back already; the caller's error is more specific than this one.
  }
}
