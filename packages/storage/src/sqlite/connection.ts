import { StorageError } from '../contract/error.ts';
import { type Wakeups, wakeups } from '../kit/wakeups.ts';
import { type DatabaseOptions, openDatabase } from './database.ts';
import { resultCodes, toStorageError } from './errors.ts';
import { preallocateWal } from './preallocate-wal.ts';
import { prepareStatements, type Statements } from './statements.ts';
import { retryWhileBusy } from './transaction.ts';
import { writeQueue } from './write-queue.ts';

/** An open database: statements, and when to run them. */
export interface Connection {
  readonly statements: Statements;
  /** Runs statements that only read. @throws {StorageError} `closed`, `io`, `corrupt`. */
  read<T>(work: () => T): Promise<T>;
  /** Runs statements in a transaction, after all writes called before; `work` may run more than once. */
  write<T>(work: () => T): Promise<T>;
  /** Keyed by the conversation's key. Fires for this connection when told, for others after at most `pollMs`. */
  readonly wake: Wakeups;
  /** Aborts when {@link close} is called. */
  readonly closed: AbortSignal;
  /** Waits for the writes under way, does `last`, and closes. Reads are `closed` at once, writes after `last`. */
  close(last: () => Promise<void>): Promise<void>;
}

/** How a connection is opened. */
export interface ConnectionOptions extends DatabaseOptions {
  readonly pollMs: number;
}

/** Opens a connection. @throws {StorageError} `io`, `full`, `corrupt`, `invalid` for a database of something else. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { path, durability, busyMs, pollMs } = options;
  const typed = (error: unknown): never => {
    throw toStorageError(error, path);
  };
  const database = await openDatabase(options).catch(typed);
  const statements = prepareStatements(database);
  const onCommit = durability === 'fsync' ? preallocateWal(database, path) : () => {};
  const queue = writeQueue(database, { busyMs, onCommit });
  const closing = new AbortController();
  const wake = wakeups((onChange) => watchOthers(statements, pollMs, onChange));

  let isClosed = false;
  const check = (isOver: boolean): void => {
    if (isOver) throw new StorageError('closed', `The store ${path} is closed.`);
  };
  const reading = <T>(work: () => T): T => {
    check(closing.signal.aborted);
    return work();
  };
  return {
    statements,
    read: async (work) => retryWhileBusy(() => reading(work), busyMs).catch(typed),
    async write(work) {
      check(isClosed);
      return queue.write(work).catch(typed);
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

/** Looks whether another connection has committed, every `pollMs`, until stopped. */
function watchOthers({ dataVersion }: Statements, pollMs: number, onChange: () => void): () => void {
  const version = (): unknown => {
    try {
      return dataVersion.get()?.['data_version'];
    } catch (error) {
      return error; // Something new each time: the reader that wakes up meets the failure itself.
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
 * Writes the write-ahead log back and cuts it to nothing, so that no replaced text is left in it. Waits for whoever
 * reads an older state.
 *
 * @throws {StorageError} `io` when somebody reads one for longer than the connection waits; `closed`.
 */
export async function truncateWal(connection: Connection): Promise<void> {
  await connection.read(() => {
    // SQLite answers here, and raises no error, when it could not.
    if (connection.statements.truncateWal.get()?.['busy'] === 0) return;
    throw Object.assign(new Error('The write-ahead log is in use.'), { errcode: resultCodes.busy });
  });
}
