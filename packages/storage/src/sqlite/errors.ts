import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoOf } from '@varve/files';
import { StorageError, type StorageErrorCode } from '../contract/error.ts';
import { lockHolders } from './lock-holders.ts';

/** Primary result codes of SQLite that a caller can handle. @see https://www.sqlite.org/rescode.html */
export const resultCodes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  tooBig: 18,
  notADatabase: 26,
} as const;

/** Extended code: the shared memory next to the database could not be extended. Other writes report `full`. */
const noSharedMemory = 4874;

/** Extended code: a write failed, for another reason than a full disk. SQLite does not know quotas. */
const failedWrite = 778;

/** Returns the primary result code of an error that SQLite raised. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  if (code === noSharedMemory) return resultCodes.full;
  // The low byte is the primary code; the rest is the extended code.
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** SQLite reports `protocol` after seconds of retries, for example when the process with the lock was stopped. */
const busyCodes = new Set<number | undefined>([resultCodes.busy, resultCodes.locked, resultCodes.protocol]);

/** Returns true if another connection holds a lock that this one needs. */
export function isBusy(error: unknown): boolean {
  return busyCodes.has(resultCode(error));
}

type MappedError = readonly [code: StorageErrorCode, message: (path: string) => string];

const errorsByResultCode: Readonly<Record<number, MappedError>> = {
  [resultCodes.busy]: ['io', explainLock],
  [resultCodes.locked]: ['io', explainLock],
  [resultCodes.protocol]: ['io', explainLock],
  [resultCodes.readOnly]: ['io', (path) => explainOpenFailure(path)],
  [resultCodes.io]: ['io', (path) => `Reading or writing ${path} failed.`],
  [resultCodes.corrupt]: ['corrupt', (path) => `${path} is damaged.`],
  [resultCodes.full]: ['full', (path) => `There is no space left for ${path}.`],
  [resultCodes.cannotOpen]: ['io', (path) => explainOpenFailure(path)],
  [resultCodes.tooBig]: ['invalid', (path) => `A text is too large for ${path}.`],
  [resultCodes.notADatabase]: ['corrupt', (path) => `${path} is not a SQLite database.`],
};

function explainLock(path: string): string {
  return `${path} stayed locked by ${lockHolders(path) ?? 'another process'}.`;
}

/** Converts an error of SQLite or the system to a `StorageError`. Returns any other error unchanged: it is a bug. */
export function toStorageError(error: unknown, path: string): unknown {
  if (error instanceof StorageError) return error;
  const [code, message] = mapError(error, path) ?? [];
  return code && message ? new StorageError(code, message(path), { cause: error }) : error;
}

function mapError(error: unknown, path: string): MappedError | undefined {
  // A number that JavaScript cannot represent; varve stores none.
  if (error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE') {
    return errorsByResultCode[resultCodes.corrupt];
  }
  const errno = errnoOf(error) ?? (extendedCode(error) === failedWrite ? probeSpace(path) : undefined);
  if (errno === undefined) return errorsByResultCode[resultCode(error) ?? 0];
  return [errno === 'ENOSPC' || errno === 'EDQUOT' ? 'full' : 'io', (name) => explainOpenFailure(name, errno)];
}

const reasonSentences: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `${path} is not writable.`,
  EPERM: (path) => `${path} is not writable.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  ENOSPC: (path) => `There is no space left for ${path}.`,
  EDQUOT: (path) => `The quota leaves no space for ${path}.`,
  EMFILE: (path) => `${path} cannot be opened because this process has too many files open.`,
  ENFILE: (path) => `${path} cannot be opened because the system has too many files open.`,
  EISDIR: (path) => `${path} is a directory, not a database.`,
};

/**
 * Explains in one sentence why a file cannot be opened or written. SQLite reports the failure without its cause, so the
 * system is asked again, unless its `errno` is known.
 */
export function explainOpenFailure(path: string, errno?: string): string {
  const directory = unwritableDirectory(path);
  if (directory !== undefined) return `The directory ${directory} is not writable, so ${path} cannot be used.`;
  const reason = errno ?? probeFile(path);
  if (reason === undefined) return `${path} cannot be opened or written.`;
  return reasonSentences[reason]?.(path) ?? `${path} cannot be opened or written: ${reason}.`;
}

/** Returns the nearest existing directory above a path if this process may not write to it. */
function unwritableDirectory(path: string): string | undefined {
  const directory = dirname(path);
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const reason = errnoOf(error);
    if (reason === 'EACCES' || reason === 'EPERM') return directory;
    if (reason === 'ENOENT' && directory !== path) return unwritableDirectory(directory);
  }
  return undefined;
}

/** Returns `ENOSPC` or `EDQUOT` if no file can grow next to the database. */
function probeSpace(path: string): string | undefined {
  const probe = join(dirname(path), `.varve-${randomUUID()}.tmp`);
  try {
    writeFileSync(probe, Buffer.alloc(65_536), { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    return ['ENOSPC', 'EDQUOT'].find((errno) => errno === errnoOf(error));
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Looks for the cause without opening the file: closing it would drop the locks of all connections in this process. */
function probeFile(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, constants.W_OK);
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    return errnoOf(error);
  }
  return undefined;
}
