import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { retryWhileBusy, rollBack } from './transaction.ts';

/** Runs the writes of one connection in the order of their calls. */
export interface WriteQueue {
  /**
   * Runs `work` in a transaction and resolves with its result after the commit. An error that it throws is rethrown and
   * leaves the database unchanged. It may run more than once, so it must change nothing but the database.
   */
  write<T>(work: () => T): Promise<T>;
  /** Resolves when everything called so far has finished. */
  drain(): Promise<void>;
}

/** Options of `writeQueue`. */
export interface WriteQueueOptions {
  /** Time to retry while other connections write. */
  readonly busyMs: number;
  /** Called before each commit; what it throws fails the writes of the transaction. */
  readonly beforeCommit?: () => void;
}

interface Job {
  /** Runs the work; returns a function that resolves the caller's promise. */
  readonly run: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Limits how long one transaction blocks the event loop and other processes. */
const groupLength = 256;

/**
 * Callers whose promises resolve in one turn of the event loop. What a caller does next takes a millisecond and more:
 * with 200 conversations that ran at a time, a turn took 127 ms of processor time at the median and 468 ms at the 99th
 * percentile when all resolved in one, and 9 and 56 ms with 4 of them.
 */
const resolvedPerTurn = 4;

/**
 * Groups the writes that wait at the same time into one transaction, with one sync of the disk. A failure rolls the
 * whole group back; each of its writes then runs in a transaction of its own and gets its own result.
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
  let resolvers: readonly (() => void)[];
  try {
    resolvers = jobs.map((job) => job.run());
    options.beforeCommit?.();
    // With `fsync` durability the commit returns when the write-ahead log is on the disk.
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    if (jobs.length === 1) jobs[0]?.fail(error);
    else for (const job of jobs) await commitAll(database, [job], options);
    return;
  }
  for (const [index, resolveJob] of resolvers.entries()) {
    if (index > 0 && index % resolvedPerTurn === 0) await setImmediate();
    resolveJob();
  }
}
