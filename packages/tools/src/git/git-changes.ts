import { ToolError } from '../contract/error.ts';
import { gitBase } from './git-base.ts';
import { gitRepository } from './git-repository.ts';

/** One file that differs from what it is compared with. */
export interface GitChange {
  readonly status: 'ADDED' | 'DELETED' | 'UPDATED';
  /** Relative to the directory that was asked for, with `/`. */
  readonly path: string;
}

/** What to compare with. */
export interface GitCompareOptions {
  /** A commit, branch or tag. Default: what was pushed, else where the branch began. */
  readonly ref?: string;
  readonly signal?: AbortSignal;
}

const statuses: Readonly<Record<string, GitChange['status']>> = { A: 'ADDED', D: 'DELETED' };

/**
 * The files below a directory that have changed, those that git does not track yet included, sorted by path. A file that was moved
 * is one that is gone and one that came. Runs no program that the repository names, and looks into no repository inside of it.
 *
 * @throws {ToolError} `unusable` when the directory is in no repository, `invalid-input` when `ref` names nothing, `aborted`.
 * @see software-agent-sdk openhands/sdk/git (names with blanks, changes of type, hostile settings)
 */
export async function gitChanges(directory: string, options: GitCompareOptions = {}): Promise<readonly GitChange[]> {
  const repository = await gitRepository(directory, options.signal);
  const base = await gitBase(repository, options.ref);
  const compare = ['--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--relative'];
  const [diff, untracked] = await Promise.all([
    repository.git('diff', '--name-status', '-z', ...compare, base),
    repository.git('ls-files', '-z', '--others', '--exclude-standard'),
  ]);
  const failed = [diff, untracked].find(({ exitCode }) => exitCode !== 0);
  if (failed !== undefined)
    throw new ToolError('unusable', `Git could not compare ${directory}: ${failed.message || 'no reason given'}.`);
  const fields = names(diff.output);
  const changed = fields.flatMap((field, index): readonly GitChange[] => {
    const path = fields[index + 1];
    return index % 2 === 1 || path === undefined ? [] : [{ status: statuses[field] ?? 'UPDATED', path }];
  });
  const seen = new Set(changed.map(({ path }) => path));
  // A repository inside of this one is named with a slash at the end.
  const added = names(untracked.output).filter((path) => !path.endsWith('/') && !seen.has(path));
  const all = [...changed, ...added.map((path): GitChange => ({ status: 'ADDED', path }))];
  return all.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function names(output: Buffer): readonly string[] {
  return output.toString().split('\0').slice(0, -1);
}
