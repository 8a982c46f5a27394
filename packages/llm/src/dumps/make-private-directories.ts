import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a directory and the missing ones above it, one by one, for their owner only. Node's recursive `mkdir` never
 * returns on file systems such as `/proc`, which report a missing parent for any new name.
 */
export function makePrivateDirectories(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(resolve(path)) === resolve(path)) return;
  makePrivateDirectories(dirname(resolve(path)));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
