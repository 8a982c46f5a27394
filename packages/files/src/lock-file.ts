import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from './errno.ts';
import { makeDirectories } from './make-directories.ts';

/** Options of {@link lockFile}. */
interface LockOptions {
  /** Longest wait for another holder; 10 seconds by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Wait between two attempts: longer than the work of a holder, which takes about two milliseconds. */
const attemptMs = 5;

/**
 * Locks a file for this process and this call, until the result is disposed. The file stays empty and is never removed.
 *
 * The lock is SQLite's lock of an empty database, so it is a lock of the operating system: it ends with the process
 * that holds it, however that ends. A file with the id of its holder cannot guarantee that: ids are reused, and two
 * processes that both find a dead holder can remove each other's file.
 *
 * @throws {Error} of the system or of SQLite; `EBUSY` after the longest wait; the reason of the signal.
 * @see https://sqlite.org/lockingv3.html
 */
export async function lockFile(path: string, { timeoutMs = 10_000, signal }: LockOptions = {}): Promise<Disposable> {
  prepareFiles(path);
  const timeout = AbortSignal.timeout(timeoutMs);
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLock(path);
    if (lock) return lock;
    if (timeout.aborted) {
      const error = new Error(`Another process holds the lock ${path}.`);
      throw Object.assign(error, { code: 'EBUSY', syscall: 'lock' });
    }
    await delay(attemptMs);
  }
}

function prepareFiles(path: string): void {
  makeDirectories(dirname(path), 0o700);
  try {
    // Fails without opening an existing file: closing any descriptor of a file ends this process's locks on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  // SQLite looks for a journal, and would wait without end for the other end of a pipe.
  const journal = `${path}-journal`;
  if (lstatSync(journal, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new Error(`${journal} is not a regular file`);
}

async function tryLock(path: string): Promise<Disposable | undefined> {
  // Loaded here, because Node 22 prints a warning for its SQLite.
  const { DatabaseSync } = await import('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(path);
    const held = database;
    held.exec('BEGIN EXCLUSIVE');
    // Closing without a commit writes nothing.
    return { [Symbol.dispose]: () => held.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** SQLITE_BUSY. */
const busy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy;
}
