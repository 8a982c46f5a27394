import { SettingsError } from '../error.ts';

/** Returns the system's name of a failed system call's error, such as `EACCES`. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Converts a system error to a `SettingsError`. Returns any other error unchanged: it is a bug. */
export function fileError(error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const { dest, path } = error as { readonly dest?: unknown; readonly path?: unknown };
  const named = [dest, path].find((value) => typeof value === 'string') ?? 'A file';
  return new SettingsError('io', `${named} cannot be read or written: ${errno}.`, { cause: error });
}
