import { errnoOf, lockFile } from '@varve/files';
import { SettingsError } from '../error.ts';
import { fileError } from './file-error.ts';

/** Options of {@link withFileLock}. */
export type LockOptions = NonNullable<Parameters<typeof lockFile>[1]>;

/**
 * Runs work while no other process, and no other call in this one, runs work with the same lock file. Not reentrant.
 *
 * @throws {SettingsError} `locked` after the longest wait, `io` if the file cannot be locked; what `work` throws.
 */
export async function withFileLock<T>(file: string, work: () => T | Promise<T>, options: LockOptions = {}): Promise<T> {
  using _ = await lockFile(file, options).catch((error: unknown) => {
    throw options.signal?.aborted ? error : lockError(error, file);
  });
  return await work();
}

function lockError(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const errno = errnoOf(error);
  if (errno === 'EBUSY') return new SettingsError('locked', error.message);
  // SQLite's message is a reason, such as "database or disk is full".
  if (errno !== undefined && !('errcode' in error)) return fileError(error, file);
  return new SettingsError('io', `The file ${file} cannot be locked: ${error.message}.`, { cause: error });
}
