import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { errnoOf } from '../kit/errno-of.ts';

const sentences: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `${path} is not writable.`,
  EPERM: (path) => `${path} is not writable.`,
  EROFS: (path) => `${path} lies on a read-only file system.`,
  ENOSPC: (path) => `There is no space left for ${path}.`,
  EDQUOT: (path) => `The quota leaves no space for ${path}.`,
  EMFILE: (path) => `${path} cannot be opened because this process has too many files open.`,
  ENFILE: (path) => `${path} cannot be opened because the system has too many files open.`,
  EISDIR: (path) => `${path} is a directory, not a database.`,
};

/**
 * One sentence on why a file cannot be opened or written. SQLite says that it cannot, not why, so the system is asked
 * again; `known` is what it said already.
 */
export function whyNot(path: string, known?: string): string {
  const directory = directoryInTheWay(path);
  if (directory !== undefined) return `The directory ${directory} is not writable, so ${path} cannot be used.`;
  const reason = known ?? askSystem(path);
  if (reason === undefined) return `${path} cannot be opened or written.`;
  return sentences[reason]?.(path) ?? `${path} cannot be opened or written: ${reason}.`;
}

/** The nearest directory above that exists, when this process may not write it. */
function directoryInTheWay(path: string): string | undefined {
  const directory = dirname(path);
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const reason = errnoOf(error);
    if (reason === 'EACCES' || reason === 'EPERM') return directory;
    if (reason === 'ENOENT' && directory !== path) return directoryInTheWay(directory);
  }
  return undefined;
}

/** Asks without opening the file: closing it would drop the locks of all connections in this process. */
function askSystem(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'EISDIR';
    accessSync(path, constants.W_OK);
    closeSync(openSync(devNull, 'r'));
  } catch (error) {
    return errnoOf(error);
  }
  return undefined;
}
