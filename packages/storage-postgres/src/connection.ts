import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '@varve/storage';
import { type Wakeups, wakeups } from '@varve/storage/kit';
import { isConflict, isFull, isOutage, toStorageError } from './errors.ts';
import { openPool, type Transaction } from './pool.ts';
import { grantRights } from './rights.ts';
import { migrate } from './schema.ts';
import type { Query, Session } from './session.ts';
import { sqlOf, type Sql } from './sql.ts';
import type { Target } from './url.ts';

/** The connections of a store to its database. */
export interface Connection {
  /** Name of the store in messages, without password. */
  readonly label: string;
  readonly sql: Sql;
  /** Reads; waits for a server that restarts or has no space. @throws {StorageError} `closed`, `io`, `corrupt`. */
  readonly read: Query;
  /** Runs a statement that commits by itself; it may run more than once. @throws {StorageError} as {@link read}. */
  readonly write: Query;
  /** As {@link write}, for statements about leases: they wait for a reply for a shorter time. */
  readonly lease: Query;
  /** Runs work in a transaction; it may run more than once. @throws {StorageError} as {@link read}. */
  readonly transaction: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  /** Keyed by the conversation's key. Fired by this store, and within `pollMs` for commits of others. */
  readonly wake: Wakeups;
  /** Aborts when {@link close} is called. */
  readonly closed: AbortSignal;
  /** Runs `last`, and closes. Reads are `closed` immediately, writes after `last`. */
  close(last: () => Promise<void>): Promise<void>;
}

/** Options of `connect`. */
export interface ConnectOptions {
  readonly target: Target;
  readonly pollMs: number;
  /** False for a database that must have tables already. */
  readonly creates: boolean;
  /** Role that receives the rights to append. */
  readonly role?: string | undefined;
  /** Default {@link replyLimits}. */
  readonly limits?: typeof replyLimits;
}

/**
 * Times after which a statement without a reply counts as lost, in milliseconds: it is repeated on another connection,
 * or its transaction fails. Leases have to be renewed in time; steps of the schema may take long.
 */
export const replyLimits = { lease: 3_000, statement: 10_000, transaction: 30_000, start: 120_000 };
const conflictTries = 8;
/** Time during which a server that restarts or has no space, or a connection that fails, is waited for. */
const outageMs = 30_000;
const outagePauseMs = 200;

/** Connects to a database, and creates or migrates its tables. @throws {StorageError} `io`, `invalid`, `missing`. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { target, pollMs, creates, role, limits = replyLimits } = options;
  const { label, schema } = target;
  const pool = openPool(target);
  const closing = new AbortController();
  let isClosed = false;
  let isConnected = false;
  const isPatient = (): boolean => isConnected && !closing.signal.aborted;
  const check = (isOver: boolean): void => {
    if (isOver) throw new StorageError('closed', `The store ${label} is closed.`);
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await retried(async () => retryConflicts(work), isFull, isPatient);
    } catch (error) {
      throw toStorageError(error, label);
    }
  };
  const within =
    (limitMs: number, isOver: () => boolean): Query =>
    async (sql, values) => {
      check(isOver());
      return run(async () => retried(async () => pool.query(limitMs)(sql, values), isOutage, isPatient));
    };
  const begin = async (): Promise<Transaction> =>
    pool.begin({ beginMs: limits.lease, limitMs: isConnected ? limits.transaction : limits.start });
  const connection: Connection = {
    label,
    sql: sqlOf(schema),
    read: within(limits.statement, () => closing.signal.aborted),
    write: within(limits.statement, () => isClosed),
    lease: within(limits.lease, () => isClosed),
    transaction: async (work) => {
      check(isClosed);
      return run(async () => transact(async () => retried(begin, isOutage, isPatient), work));
    },
    wake: wakeups(commitWatch((): Connection => connection, pollMs)),
    closed: closing.signal,
    async close(last) {
      closing.abort();
      connection.wake.fireAll();
      await last();
      isClosed = true;
      await pool.end();
    },
  };
  try {
    await connection.transaction(async (session) => checkDatabase(session, label));
    const tables = { schema, label, creates };
    await migrate(connection.transaction, tables);
    if (role !== undefined) await connection.transaction(async (session) => grantRights(session, tables, role));
    isConnected = true;
    return connection;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries >= conflictTries) throw error;
    }
  }
}

/** Repeats work that fails for a reason that passes, for a limited time. */
async function retried<T>(
  work: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  isPatient: () => boolean,
): Promise<T> {
  const end = performance.now() + outageMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || !isPatient() || performance.now() >= end) throw error;
    }
    await delay(outagePauseMs);
  }
}

async function transact<T>(begun: () => Promise<Transaction>, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await begun();
  let isBroken = true;
  try {
    const result = await work(session);
    await session.query('COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(await rollBack(session));
    throw error;
  } finally {
    // A connection whose transaction did not end is not used again.
    session.release(isBroken);
  }
}

/** Ends a failed transaction; returns false if its connection cannot be used again. */
async function rollBack(session: Session): Promise<boolean> {
  try {
    await session.query('ROLLBACK');
    return true;
  } catch {
    return false; // The caller's error is more specific than this one.
  }
}

async function checkDatabase(session: Session, label: string): Promise<void> {
  const [row] = await session.query(
    `SELECT current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit`,
  );
  const { encoding, commit } = row as { encoding: string; commit: string };
  if (encoding !== 'UTF8') throw new StorageError('invalid', `${label} has the encoding ${encoding}, not UTF8.`);
  if (commit !== 'off') return;
  throw new StorageError('invalid', `${label} acknowledges commits before they are stored: synchronous_commit is off.`);
}

/** Returns a watch that polls for commits every `pollMs` and wakes the readers of conversations that have grown. */
function commitWatch(connection: () => Connection, pollMs: number): NonNullable<Parameters<typeof wakeups>[0]> {
  let seen: unknown;
  // The heads at the last change. Every commit changes the database's snapshot, and each reader would read its head.
  let heads = new Map<unknown, unknown>();
  const wakeChanged = async (armed: () => ReadonlySet<string | number>): Promise<void> => {
    const { read, sql, wake } = connection();
    const [row] = await read('SELECT pg_current_snapshot()::text AS now', []);
    if (row?.['now'] === seen) return;
    seen = row?.['now'];
    const keys = [...armed()];
    const found = new Map((await read(sql.heads, [keys])).map(({ key, head }) => [key, head]));
    const before = heads;
    heads = found;
    for (const key of keys) if (!before.has(key) || before.get(key) !== found.get(key)) wake.fire(key);
  };
  return (onChange, armed) => {
    let isPolling = false;
    const poll = async (): Promise<void> => {
      if (isPolling) return;
      isPolling = true;
      // A failure is a change too: the readers wake up and meet it themselves.
      await wakeChanged(armed).catch(onChange);
      isPolling = false;
    };
    const timer = setInterval(() => void poll(), pollMs);
    return () => clearInterval(timer);
  };
}
