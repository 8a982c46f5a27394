import { basename, dirname } from 'node:path';
import { isBelow, pathProblem } from '../files/real-path.ts';
import type { Located } from './machine.ts';

/** Directory or file to search. */
export interface SearchRoot {
  /** Absolute path with links resolved, as in the observation. */
  readonly path: string;
  /** Working directory of ripgrep. */
  readonly directory: string;
  /** Argument for ripgrep: `.`, or the name of one file. */
  readonly entry: string;
}

/**
 * Checks the path of a search. Returns an error message for the model if it is invalid, or not in one of the
 * directories to which it has to lead, if any.
 */
export async function searchRoot(
  path: string,
  jail: 'workspace' | 'unrestricted',
  locate: (path: string) => Promise<Located>,
): Promise<SearchRoot | string> {
  const problem = pathProblem(path);
  if (problem !== undefined) return `Invalid \`path\` parameter: ${problem}.`;
  const { real, kind, roots } = await locate(path);
  if (jail === 'workspace' && real !== undefined && !roots.some((root) => isBelow(real, root)))
    return `Invalid \`path\` parameter: ${path}. It leads outside of the directories this tool may use: ${roots.join(', ')}.`;
  if (real === undefined || kind === undefined)
    return `Invalid \`path\` parameter: ${path}. Nothing exists at this path.`;
  if (kind === 'directory') return { path: real, directory: real, entry: '.' };
  if (kind === 'file') return { path: real, directory: dirname(real), entry: basename(real) };
  return `Invalid \`path\` parameter: ${path}. It is neither a file nor a directory.`;
}
