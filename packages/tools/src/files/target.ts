import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isInside, pathProblem, realPathOf } from './real-path.ts';
import { refuse, refuseExisting, type Refusal, refuseFailure, refuseParameter } from './refusal.ts';

/** File or directory that a call reads or changes. */
export interface Target {
  /** Path as the model wrote it. */
  readonly path: string;
  /** Path with links resolved; this path is read and written. */
  readonly real: string;
  /** Undefined when nothing exists at the path. */
  readonly stats: Stats | undefined;
}

/** Directories that paths of a call may point into. */
export interface PathScope {
  readonly workspace: string;
  /** Further directories. Undefined: every path is allowed. */
  readonly roots: readonly string[] | undefined;
}

/**
 * Checks a path against the rules that do not depend on file content: absolute, inside the roots, present or absent.
 */
export async function resolveTarget(
  path: string,
  command: string,
  { workspace, roots }: PathScope,
): Promise<Target | Refusal> {
  const problem = pathProblem(path);
  if (problem !== undefined) return refuse(`Invalid \`path\` parameter: ${problem}.`);
  if (!isAbsolute(path)) return refuseRelative(path, workspace);
  const real = realPathOf(path);
  if (roots !== undefined && !isInside(real, [workspace, ...roots])) {
    const where = [workspace, ...roots].join(', ');
    return refuseParameter('path', path, `It leads outside of the directories this tool may use: ${where}.`);
  }
  const stats = await statsOf(real);
  if (stats !== undefined && 'failure' in stats) return refuseFailure('Opening', path, stats.failure);
  return refuseUnusable(path, command, stats) ?? { path, real, stats };
}

async function refuseRelative(path: string, workspace: string): Promise<Refusal> {
  const meant = join(workspace, path);
  const stats = await statsOf(meant);
  const hint = stats === undefined || 'failure' in stats ? '' : ` Maybe you meant ${meant}.`;
  return refuseParameter('path', path, `The path must be absolute.${hint}`);
}

function refuseUnusable(path: string, command: string, stats: Stats | undefined): Refusal | undefined {
  if (command === 'create') {
    if (stats === undefined) return undefined;
    return refuseExisting(path);
  }
  if (stats === undefined) return refuseParameter('path', path, 'Nothing exists at this path.');
  if (stats.isDirectory()) {
    return command === 'view'
      ? undefined
      : refuseParameter('path', path, 'It is a directory; only view works on directories.');
  }
  return stats.isFile()
    ? undefined
    : refuseParameter('path', path, 'It is neither a file nor a directory, but a device, pipe or socket.');
}

async function statsOf(path: string): Promise<Stats | { readonly failure: unknown } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    return { failure: error };
  }
}
