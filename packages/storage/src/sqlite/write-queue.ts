import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { rollBack, retryWhileBusy } from './transaction.ts';

/** Runs writes of one connection in the order of their calls. */
export interface WriteQueue {
  /**
   * Runs `work` in a transaction and resolves with what it returns when that is committed. What it throws comes through
   * and leaves the database as it was. It may run more than once, so it changes nothing but the database.
   */
  write<T>(work: () => T): Promise<T>;
  /** Resolves when everything called so far is done. */
  drain(): Promise<void>;
}

/** How a queue writes. */
export interface WriteQueueOptions {
  /** How long to go on trying while other connections write. */
  readonly busyMs: number;
  /** Called after each commit, when its writes have been answered. Must not throw; leaves the database as it is. */
  readonly onCommit?: () => void;
}

interface Job {
  /** Does the work; returns what tells the caller. */
  readonly run: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Bounds how long one transaction keeps the event loop and other processes waiting. */
const groupLength = 256;

/**
 * Groups the writes that wait at the same time into one transaction, for one sync of the disk. A failure rolls the
 * whole group back; then each of its writes gets a transaction, and so an answer, of its own.
 */
export function writeQueue(database: DatabaseSync, options: WriteQueueOptions): WriteQueue {
  const waiting: Job[] = [];
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      await setImmediate();
      await commitAll(database, waiting.splice(0, groupLength), options);
    }
    flushing = undefined;
  };
  return {
    async write<T>(work: () => T) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({ run: () => resolve.bind(undefined, work()), fail: reject });
      flushing ??= flush();
      return promise;
    },
    async drain() {
      await flushing;
    },
  };
}

async function commitAll(database: DatabaseSync, jobs: readonly Job[], options: WriteQueueOptions): Promise<void> {
  try {
    await retryWhileBusy(() => database.exec('BEGIN IMMEDIATE'), options.busyMs);
  } catch (error) {
    for (const job of jobs) job.fail(error);
    return;
  }
  try {
    const answers = jobs.map((job) => job.run());
    database.exec('COMMIT');
    for (const answer of answers) answer();
  } catch (error) {
    rollBack(database);
    if (jobs.length === 1) jobs[0]?.fail(error);
    else for (const job of jobs) await commitAll(database, [job], options);
    return;
  }
  options.onCommit?.();
}
