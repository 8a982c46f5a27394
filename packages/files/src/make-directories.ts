import { mkdirSync, rmdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from './errno.ts';

/**
 * Creates a directory and the missing ones above it, one by one; returns the created ones, outermost first, and removes
 * them if it fails. Node's recursive `mkdir` never returns on file systems such as `/proc`, which report a missing
 * parent for any new name.
 */
export function makeDirectories(path: string, mode = 0o777): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); isMissing(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  const made: string[] = [];
  try {
    for (const directory of missing) if (makeDirectory(directory, mode)) made.push(directory);
  } catch (error) {
    removeDirectories(made);
    throw error;
  }
  return made;
}

/** Removes directories that {@link makeDirectories} returned, except those in which something is by now. */
export function removeDirectories(made: readonly string[]): void {
  for (const directory of made.toReversed()) removeIfEmpty(directory);
}

function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}

/** Returns false if something is there: another process may have created it. */
function makeDirectory(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process has put something there.
  }
}
