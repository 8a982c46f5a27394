import { ToolError } from '../contract/error.ts';
import { commitOf } from '../git/git-base.ts';
import { gitRepository, type GitRepository } from '../git/git-repository.ts';
import type { RemoveWorktreeOptions, WorktreeOptions } from './workspace.ts';

/** Opens the repository of an absolute directory, with the programs disabled that it configures. */
export type OpenRepository = (directory: string) => Promise<GitRepository>;

/**
 * Checks out a commit into a new directory, or fills it otherwise. The settings of the new worktree are read before any
 * file is checked out, because a repository can configure filters for one directory or branch only.
 *
 * @throws {ToolError} `invalid-input` when `ref` does not exist, `unusable` when git fails, and what `fill` throws; the
 * new worktree is then removed.
 */
export async function createWorktree(
  open: OpenRepository,
  directory: string,
  path: string,
  { ref = 'HEAD', branch }: WorktreeOptions,
  fill: (worktree: GitRepository) => Promise<void> = async (worktree) => checkOut(worktree, path),
): Promise<void> {
  const repository = await open(directory);
  const { git } = repository;
  const commit = await commitOf(repository, ref);
  const head = branch === undefined ? ['--detach'] : ['-b', branch];
  const added = await git('worktree', 'add', '--quiet', '--no-checkout', ...head, '--', path, commit);
  if (added.exitCode !== 0)
    throw new ToolError('unusable', `Git could not add the worktree ${path}: ${added.message}.`);
  try {
    await fill(await open(path));
  } catch (error) {
    await git('worktree', 'remove', '--force', '--', path);
    if (branch !== undefined) await git('update-ref', '-d', `refs/heads/${branch}`);
    throw error;
  }
}

async function checkOut({ git }: GitRepository, path: string): Promise<void> {
  const filled = await git('reset', '--quiet', '--hard', '--no-recurse-submodules');
  if (filled.exitCode !== 0)
    throw new ToolError('unusable', `Git could not fill the worktree ${path}: ${filled.message}.`);
}

/**
 * Checks out a commit of the repository of a directory on this machine into a new directory, which may be anywhere.
 * Runs no program that the repository configures; filters such as LFS are not applied.
 *
 * @throws {ToolError} `invalid-input` when `ref` does not exist, `unusable` when git fails, `aborted`.
 */
export async function addLocalWorktree(directory: string, path: string, options: WorktreeOptions = {}): Promise<void> {
  await createWorktree((where) => gitRepository(where, options.signal), directory, path, options);
}

/**
 * Removes a worktree with its directory, even if the directory no longer exists.
 *
 * @throws {ToolError} `invalid-input` when the worktree does not exist or has changes, `unusable` when git fails.
 */
export async function deleteWorktree(
  open: OpenRepository,
  directory: string,
  path: string,
  { force = false }: RemoveWorktreeOptions,
): Promise<void> {
  const { git } = await open(directory);
  const listed = await git('worktree', 'list', '--porcelain', '-z');
  // The first entry is the main worktree.
  const others = listed.output.toString().split('\0\0').slice(1);
  const fields = others.map((entry) => entry.split('\0')).find(([name]) => name === `worktree ${path}`);
  if (fields === undefined) throw new ToolError('invalid-input', `There is no worktree ${path}.`);
  const isGone = fields.some((field) => field.startsWith('prunable'));
  if (!force && !isGone && (await hasChanges(await open(path))))
    throw new ToolError('invalid-input', `The worktree ${path} has changes.`);
  // Forced, because git would check for changes itself, with the filters of that worktree.
  const removed = await git('worktree', 'remove', '--force', '--', path);
  if (removed.exitCode !== 0)
    throw new ToolError('unusable', `Git could not remove the worktree ${path}: ${removed.message}.`);
}

async function hasChanges({ line }: GitRepository): Promise<boolean> {
  return (await line('status', '--porcelain', '--untracked-files=all', '--ignore-submodules=dirty')) !== '';
}
