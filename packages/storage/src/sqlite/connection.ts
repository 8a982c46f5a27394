import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { type Wakeups, wakeups } from '../kit/wakeups.ts';
import { type DatabaseOptions, openDatabase, openUnshared, shareDatabase } from './database.ts';
import { databasePath } from './database-path.ts';
import { resultCodes, toStorageError } from './errors.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { sameFiles } from './same-files.ts';
import { retryWhileBusy } from './transaction.ts';
import { writeQueue } from './write-queue.ts';

/** An open database: prepared statements, and the queue in which they run. */
export interface Connection {
  /** Absolute path of the database. */
  readonly path: string;
  readonly statements: Statements;
  /** Runs statements that only read. @throws {StorageError} `closed`, `io`, `corrupt`. */
  read<T>(work: () => T): Promise<T>;
  /** Runs statements in a transaction, after all writes called before; `work` may run more than once. */
  write<T>(work: () => T): Promise<T>;
  /**
   * Keyed by the conversation's key. Fired by this connection, and within `pollMs` for commits of other connections.
   */
  readonly wake: Wakeups;
  /** Aborts when {@link close} is called. */
  readonly closed: AbortSignal;
  /** Waits for pending writes, runs `last`, and closes. Reads are `closed` immediately, writes after `last`. */
  close(last: () => Promise<void>): Promise<void>;
}

/** Options of `connect`. The path may be relative, and a link. */
export interface ConnectionOptions extends DatabaseOptions {
  readonly pollMs: number;
}

/**
 * Opens a connection. If the files that writing needs cannot be created, an existing database is read until they can.
 *
 * @throws {StorageError} `io`, `full`, `corrupt`, `invalid` for another application's database.
 */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { busyMs, pollMs } = options;
  const path = resolvedPath(options.path);
  const rethrow = (error: unknown): never => {
    throw toStorageError(error, path);
  };
  const { database, ...opening } = await opened({ ...options, path }).catch(rethrow);
  let { isUnshared } = opening;
  let sharing: Promise<void> | undefined;
  const share = async (): Promise<void> => {
    sharing ??= shareDatabase(database, { ...options, path }).finally(() => (sharing = undefined));
    await sharing;
    isUnshared = false;
  };
  const statements = prepareStatements(database);
  const queue = writeQueue(database, { busyMs, beforeCommit: sameFiles(path) });
  const closing = new AbortController();
  const wake = wakeups((onChange) => watchCommits(statements, pollMs, onChange));

  let isClosed = false;
  const check = (isOver: boolean): void => {
    if (isOver) throw new StorageError('closed', `The store ${path} is closed.`);
  };
  return {
    path,
    statements,
    read: async (work) => retryWhileBusy(() => (check(closing.signal.aborted), work()), busyMs).catch(rethrow),
    async write(work) {
      check(isClosed);
      if (isUnshared) await share().catch(rethrow);
      return queue.write(work).catch(rethrow);
    },
    wake,
    closed: closing.signal,
    async close(last) {
      closing.abort();
      wake.fireAll();
      await queue.drain();
      await last();
      await queue.drain();
      isClosed = true;
      database.close();
    },
  };
}

interface Opened {
  readonly database: DatabaseSync;
  /** True if it could not be opened for writing. */
  readonly isUnshared: boolean;
}

async function opened(options: DatabaseOptions): Promise<Opened> {
  try {
    return { database: await openDatabase(options), isUnshared: false };
  } catch (failure) {
    const { path, busyMs } = options;
    const database = await retryWhileBusy(() => openUnshared(path, failure), busyMs).catch(() => undefined);
    if (database) return { database, isUnshared: true };
    throw failure;
  }
}

function resolvedPath(path: string): string {
  try {
    return databasePath(path);
  } catch (error) {
    throw toStorageError(error, path);
  }
}

/** Polls for commits of other connections every `pollMs`, until stopped. */
function watchCommits({ dataVersion }: Statements, pollMs: number, onChange: () => void): () => void {
  const version = (): unknown => {
    try {
      return dataVersion.get()?.['data_version'];
    } catch (error) {
      return error; // A new object each time, so the readers wake up and meet the failure themselves.
    }
  };
  let seen = version();
  const timer = setInterval(() => {
    const now = version();
    if (now !== seen) onChange();
    seen = now;
  }, pollMs);
  return () => clearInterval(timer);
}

/**
 * Writes the write-ahead log back to the database and truncates it, so that no replaced text remains in it. Waits for
 * readers of an older state.
 *
 * @throws {StorageError} `io` if such a reader is active for longer than the connection waits; `closed`.
 */
export async function truncateWal(connection: Connection): Promise<void> {
  await connection.read(() => {
    // The checkpoint reports `busy` in its row and raises no error.
    if (connection.statements.truncateWal.get()?.['busy'] === 0) return;
    throw Object.assign(new Error('The write-ahead log is in use.'), { errcode: resultCodes.busy });
  });
}
