import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, makeDirectories } from '@varve/files';
import { SettingsError } from '../error.ts';
import { fileError } from './file-error.ts';

/** Options of {@link withFileLock}. */
export interface LockOptions {
  /** Longest wait for another holder; 10 seconds by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Wait between two attempts: longer than the work of a holder, which takes about two milliseconds. */
const attemptMs = 5;

/**
 * Runs work while no other process, and no other call in this one, runs work with the same lock file. The file stays
 * empty and is never removed. Not reentrant.
 *
 * The lock is SQLite's lock of an empty database, so it is a lock of the operating system: it ends with the process
 * that holds it, however that ends. A file with the id of its holder cannot guarantee that: ids are reused, and two
 * processes that both find a dead holder can remove each other's file.
 *
 * @throws {SettingsError} `locked` after the longest wait, `io` if the file cannot be locked; what `work` throws.
 * @see https://sqlite.org/lockingv3.html
 */
export async function withFileLock<T>(
  lockFile: string,
  work: () => T | Promise<T>,
  { timeoutMs = 10_000, signal }: LockOptions = {},
): Promise<T> {
  await using held = new AsyncDisposableStack();
  held.use(await acquired(lockFile, AbortSignal.timeout(timeoutMs), signal));
  return await work();
}

async function acquired(lockFile: string, timeout: AbortSignal, signal: AbortSignal | undefined): Promise<Disposable> {
  prepareFiles(lockFile);
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLock(lockFile);
    if (lock) return lock;
    if (timeout.aborted) throw new SettingsError('locked', `Another process holds the lock ${lockFile}.`);
    await delay(attemptMs);
  }
}

function prepareFiles(lockFile: string): void {
  try {
    makeDirectories(dirname(lockFile), 0o700);
    // Fails without opening an existing file: closing any descriptor of a file ends this process's locks on it.
    closeSync(openSync(lockFile, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw fileError(error, lockFile);
  }
  // SQLite looks for a journal, and would wait without end for the other end of a pipe.
  const journal = `${lockFile}-journal`;
  if (lstatSync(journal, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new SettingsError('io', `The file ${lockFile} cannot be locked: ${journal} is not a regular file.`);
}

async function tryLock(lockFile: string): Promise<Disposable | undefined> {
  // Loaded here, because Node 22 prints a warning for its SQLite.
  const { DatabaseSync } = await import('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(lockFile);
    const held = database;
    held.exec('BEGIN EXCLUSIVE');
    // Closing without a commit writes nothing.
    return { [Symbol.dispose]: () => held.close() };
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    // SQLite's message is a reason, such as "database or disk is full".
    const reason = error instanceof Error ? `: ${error.message}` : '';
    throw new SettingsError('io', `The file ${lockFile} cannot be locked${reason}.`, { cause: error });
  }
}

/** SQLITE_BUSY. */
const busy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy;
}
