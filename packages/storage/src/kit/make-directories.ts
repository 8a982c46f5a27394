import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from './disk-error.ts';

/**
 * Creates a directory and the missing ones above it, one by one, and returns the first that was missing. Node's
 * recursive `mkdir` never returns on file systems such as `/proc`, which report a missing parent for any new name.
 */
export function makeDirectories(path: string, mode: number): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(path); !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode });
    } catch (error) {
      // Another process may have created it.
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
  return missing[0];
}
