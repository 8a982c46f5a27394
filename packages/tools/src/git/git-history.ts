import { ToolError } from '../contract/error.ts';
import { commitAndParent } from './git-base.ts';
import { nameStatus, parseChanges, type GitChange } from './git-changes.ts';
import { gitRepository } from './git-repository.ts';

/** Commit in a list of commits. */
export interface GitCommit {
  readonly sha: string;
  readonly shortSha: string;
  /** First line of the message. */
  readonly subject: string;
  /** Name of the author. */
  readonly author: string;
  /** Time of the author, ISO 8601 with the author's offset. */
  readonly timestamp: string;
}

/** Options of {@link gitCommits}. */
export interface GitCommitsOptions {
  /** Maximum number of commits. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns the newest commits that lead to HEAD and change a directory; `hasMore` if there are older ones. Empty for a
 * repository without commits.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, `aborted`.
 */
export async function gitCommits(
  directory: string,
  { limit, signal }: GitCommitsOptions,
): Promise<{ readonly commits: readonly GitCommit[]; readonly hasMore: boolean }> {
  const repository = await gitRepository(directory, signal);
  if ((await repository.hash('HEAD^{commit}')) === undefined) return { commits: [], hasMore: false };
  const format = '--format=%H%x00%h%x00%s%x00%an%x00%aI';
  const { exitCode, output, message } = await repository.git('log', '-z', `-${limit + 1}`, format, 'HEAD', '--', '.');
  if (exitCode !== 0) throw new ToolError('unusable', `Git could not list commits of ${directory}: ${message}.`);
  const fields = output.toString().split('\0');
  const commits = Array.from({ length: Math.floor(fields.length / 5) }, (_, index): GitCommit => {
    const [sha = '', shortSha = '', subject = '', author = '', timestamp = ''] = fields.slice(index * 5);
    return { sha, shortSha, subject, author, timestamp };
  });
  return { commits: commits.slice(0, limit), hasMore: commits.length > limit };
}

/**
 * Returns the files below a directory that a commit changed against its first parent, sorted by path.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, `invalid-input` when the commit does not
 * exist, `aborted`.
 */
export async function gitCommitChanges(
  directory: string,
  sha: string,
  signal?: AbortSignal,
): Promise<readonly GitChange[]> {
  const repository = await gitRepository(directory, signal);
  const { commit, parent } = await commitAndParent(repository, sha);
  const diff = await repository.git('diff', ...nameStatus, parent, commit);
  if (diff.exitCode !== 0) throw new ToolError('unusable', `Git could not compare ${sha}: ${diff.message}.`);
  return parseChanges(diff.output).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
