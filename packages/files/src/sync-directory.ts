import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { errnoOf } from './errno.ts';

/**
 * Errors of a file system that cannot sync a directory, and of a directory that this process may change and not list.
 * The names are there nevertheless, and reach the disk with the next flush of the system.
 */
const unsupported = new Set(['EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EPERM']);

/** Syncs a directory, so that a changed name in it is on the disk. Does nothing where a system cannot do that. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open directories.
  if (process.platform === 'win32') return;
  try {
    await using directory = await open(path, 'r');
    await directory.sync();
  } catch (error) {
    throwUnlessUnsupported(error);
  }
}

/** Syncs a directory as {@link syncDirectory}, and blocks the process for that time. */
export function syncDirectorySync(path: string): void {
  if (process.platform === 'win32') return;
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throwUnlessUnsupported(error);
  }
}

function throwUnlessUnsupported(error: unknown): void {
  if (!unsupported.has(errnoOf(error) ?? '')) throw error;
}
