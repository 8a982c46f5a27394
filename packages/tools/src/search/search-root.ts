import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { isInside, resolvedPath } from '../files/resolved-path.ts';

/** Where a search starts. */
export interface SearchRoot {
  /** Absolute, links resolved: what the observation names. */
  readonly path: string;
  /** The directory to run in. */
  readonly directory: string;
  /** What to search there: `.`, or the name of one file. */
  readonly entry: string;
}

/** Where searches may start. */
export interface SearchReach {
  readonly workspace: string;
  /** Undefined: anywhere. */
  readonly roots: readonly string[] | undefined;
}

/** Checks the path of a search; a sentence says why it cannot be searched. Relative paths start in the workspace. */
export async function searchRoot(path: string, { workspace, roots }: SearchReach): Promise<SearchRoot | string> {
  if (path.includes('\0')) return 'Invalid `path` parameter: a path cannot contain a null character.';
  const real = resolvedPath(resolve(workspace, path));
  if (roots !== undefined && !isInside(real, [workspace, ...roots])) {
    const where = [workspace, ...roots].join(', ');
    return `Invalid \`path\` parameter: ${path}. It leads outside of the directories this tool may use: ${where}.`;
  }
  const stats = await stat(real).catch(() => undefined);
  if (stats?.isDirectory()) return { path: real, directory: real, entry: '.' };
  if (stats?.isFile()) return { path: real, directory: dirname(real), entry: basename(real) };
  const why = stats === undefined ? 'Nothing exists at this path.' : 'It is neither a file nor a directory.';
  return `Invalid \`path\` parameter: ${path}. ${why}`;
}
