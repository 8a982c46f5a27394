import { ToolError } from '../contract/error.ts';
import { gitBase } from './git-base.ts';
import { gitRepository } from './git-repository.ts';

/** File that differs from the compared commit. */
export interface GitChange {
  readonly status: 'ADDED' | 'DELETED' | 'UPDATED';
  /** Path relative to the requested directory, with `/`. */
  readonly path: string;
}

/** Options of a comparison. */
export interface GitCompareOptions {
  /** Commit, branch or tag to compare with. Default: the pushed state of the branch, else the commit where it began. */
  readonly ref?: string;
  readonly signal?: AbortSignal;
}

/** Arguments of `git diff` whose output {@link parseChanges} reads; they run no programs. */
export const nameStatus =
  '--name-status -z --no-renames --no-ext-diff --no-textconv --ignore-submodules=dirty --relative'.split(' ');

const statuses: Readonly<Record<string, GitChange['status']>> = { A: 'ADDED', D: 'DELETED' };

/**
 * Returns the changed files below a directory, including untracked ones, sorted by path. A moved file is a deleted and
 * an added one. Runs no program that the repository configures, and skips nested repositories.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, `invalid-input` when `ref` does not exist,
 * `aborted`.
 * @see software-agent-sdk openhands/sdk/git (names with blanks, changes of type, hostile settings)
 */
export async function gitChanges(directory: string, options: GitCompareOptions = {}): Promise<readonly GitChange[]> {
  const repository = await gitRepository(directory, options.signal);
  const base = await gitBase(repository, options.ref);
  const [diff, untracked] = await Promise.all([
    repository.git('diff', ...nameStatus, base),
    repository.git('ls-files', '-z', '--others', '--exclude-standard'),
  ]);
  const failed = [diff, untracked].find(({ exitCode }) => exitCode !== 0);
  if (failed !== undefined)
    throw new ToolError('unusable', `Git could not compare ${directory}: ${failed.message || 'no reason given'}.`);
  const changed = parseChanges(diff.output);
  const seen = new Set(changed.map(({ path }) => path));
  // Git lists a nested repository with a slash at the end.
  const added = names(untracked.output).filter((path) => !path.endsWith('/') && !seen.has(path));
  const all = [...changed, ...added.map((path): GitChange => ({ status: 'ADDED', path }))];
  return all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parses the output of `git diff --name-status -z`. */
export function parseChanges(output: Buffer): readonly GitChange[] {
  const fields = names(output);
  return fields.flatMap((field, index): readonly GitChange[] => {
    const path = fields[index + 1];
    return index % 2 === 1 || path === undefined ? [] : [{ status: statuses[field] ?? 'UPDATED', path }];
  });
}

function names(output: Buffer): readonly string[] {
  return output.toString().split('\0').slice(0, -1);
}
