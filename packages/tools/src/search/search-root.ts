import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { isInside, pathProblem, realPathOf } from '../files/real-path.ts';
import type { PathScope } from '../files/target.ts';

/** Directory or file to search. */
export interface SearchRoot {
  /** Absolute path with links resolved, as in the observation. */
  readonly path: string;
  /** Working directory of ripgrep. */
  readonly directory: string;
  /** Argument for ripgrep: `.`, or the name of one file. */
  readonly entry: string;
}

/** Checks the path of a search, relative to the workspace. Returns an error message for the model if it is invalid. */
export async function searchRoot(path: string, { workspace, roots }: PathScope): Promise<SearchRoot | string> {
  const problem = pathProblem(path);
  if (problem !== undefined) return `Invalid \`path\` parameter: ${problem}.`;
  const real = realPathOf(resolve(workspace, path));
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
