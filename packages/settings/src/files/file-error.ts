import { errnoOf } from '@varve/files';
import { SettingsError } from '../error.ts';

/**
 * Converts a system error at a file to a `SettingsError`, which names the path of the error, or else the given one: an
 * error of an open file has none. Returns any other error unchanged: it is a bug.
 */
export function fileError(error: unknown, file: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const { dest, path } = error as { readonly dest?: unknown; readonly path?: unknown };
  const named = [dest, path].find((value) => typeof value === 'string') ?? file;
  const full = errno === 'ENOSPC' || errno === 'EDQUOT';
  const message = full ? `There is no space left for ${named}.` : `${named} cannot be read or written: ${errno}.`;
  return new SettingsError('io', message, { cause: error });
}
