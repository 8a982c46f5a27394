import { homedir } from 'node:os';
import { isAbsolute, resolve, sep } from 'node:path';
import { realPathOf } from '@varve/tools';

/** A path that a call names. */
export interface NamedPath {
  /** Absolute path without `.` and `..`, as it is written. */
  readonly path: string;
  /** The same with links resolved, as far as it exists. */
  readonly real: string;
}

/** Longest path of a system, in characters. */
export const maxPathChars = 4096;

/** Returns a path relative to a directory; `~/` is the home directory. */
export function namedPath(text: string, directory: string): NamedPath {
  const isHome = text === '~' || text.startsWith('~/');
  const path = isHome
    ? resolve(homedir(), `.${text.slice(1)}`)
    : isAbsolute(text)
      ? resolve(text)
      : resolve(directory, text);
  return { path, real: path.length > maxPathChars || path.includes('\0') ? path : realPathOf(path) };
}

/** Reports whether a path is a directory or below it. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
