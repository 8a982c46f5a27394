import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isBusy } from './errors.ts';

/**
 * Does the work, again and again while the database is busy, for at most `busyMs` and once more; other work of this process
 * goes on between two tries. Whatever else it throws, and the last busy error, comes through.
 */
export async function retryWhileBusy<T>(work: () => T, busyMs: number): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (let tries = 0; ; tries += 1) {
    // Looked at before: a process that was stopped until after the deadline has not really tried.
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

/** Ends a transaction that failed, if SQLite has not ended it. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // A full disk or a failed write has rolled back already; the error that the caller has says more than this one.
  }
}
