import { errnoOf } from '@varve/files';
import { StorageError } from '../contract/error.ts';

/** File of an error that names none. */
const unnamed = 'a file of the store';

const reasonSentences: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: (path) => `There is no space left for ${path}.`,
  EDQUOT: (path) => `The quota leaves no space for ${path}.`,
  EACCES: (path) => `${path} is not accessible to this process.`,
  EPERM: (path) => `${path} is not accessible to this process.`,
  EROFS: (path) => `${path} is on a read-only file system.`,
  EMFILE: (path) => `${path} cannot be opened because this process has too many files open.`,
  ENFILE: (path) => `${path} cannot be opened because the system has too many files open.`,
  EIO: (path) => `The disk failed to read or write ${path}.`,
  ENOTDIR: (path) => `${path} is not a directory.`,
};

/** Converts a system error to a `StorageError`. Returns any other error unchanged: it is a bug. */
export function diskError(error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof StorageError || errno === undefined) return error;
  const path = pathOf(error);
  const sentence = reasonSentences[errno]?.(path) ?? `${path} cannot be read or written: ${errno}.`;
  const message = sentence.replace(/^a/, (first) => (path === unnamed ? first.toUpperCase() : first));
  return new StorageError(errno === 'ENOSPC' || errno === 'EDQUOT' ? 'full' : 'io', message, { cause: error });
}

/** Runs work, and throws its system errors as `StorageError`. */
export async function withStorageErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw diskError(error);
  }
}

/** Returns true for a `StorageError` or a system error, and false for a bug. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof StorageError || errnoOf(error) !== undefined;
}

/** Failures of the process or the system, which every file would have at this moment. */
const generalErrors = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);

/** Returns true for a system error that concerns the files of one conversation, such as missing rights. */
export function isFileFailure(error: unknown): boolean {
  const errno = errnoOf(error) ?? (error instanceof StorageError ? errnoOf(error.cause) : undefined);
  return errno !== undefined && !generalErrors.has(errno);
}

function pathOf(error: unknown): string {
  const { dest, path } = error as { readonly dest?: unknown; readonly path?: unknown };
  return [dest, path].find((value) => typeof value === 'string') ?? unnamed;
}
