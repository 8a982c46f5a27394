import { errnoOf } from '../kit/errno-of.ts';
import { StorageError } from '../contract/error.ts';

const sentences: Readonly<Record<string, (path: string) => string>> = {
  ENOSPC: (path) => `There is no space left for ${path}.`,
  EDQUOT: (path) => `The quota leaves no space for ${path}.`,
  EACCES: (path) => `${path} is not accessible to this process.`,
  EPERM: (path) => `${path} is not accessible to this process.`,
  EROFS: (path) => `${path} lies on a read-only file system.`,
  EMFILE: (path) => `${path} cannot be opened because this process has too many files open.`,
  ENFILE: (path) => `${path} cannot be opened because the system has too many files open.`,
  EIO: (path) => `The disk failed to read or write ${path}.`,
  ENOTDIR: (path) => `${path} is not a directory.`,
};

/** Says in our words what failed with a file. What only a bug explains comes back as it is. */
export function diskError(error: unknown): unknown {
  const errno = errnoOf(error);
  if (error instanceof StorageError || errno === undefined) return error;
  const path = pathOf(error);
  const message = sentences[errno]?.(path) ?? `${path} cannot be read or written: ${errno}.`;
  return new StorageError(errno === 'ENOSPC' || errno === 'EDQUOT' ? 'full' : 'io', message, { cause: error });
}

function pathOf(error: unknown): string {
  const { dest, path } = error as { readonly dest?: unknown; readonly path?: unknown };
  return [dest, path].find((value) => typeof value === 'string') ?? 'A file of the store';
}
