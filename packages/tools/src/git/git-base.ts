import { ToolError } from '../contract/error.ts';
import type { GitRepository } from './git-repository.ts';

/** Hash of the empty tree, the base of a repository without commits. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * Returns a commit and its first parent; the empty tree for the parent of a first commit.
 *
 * @throws {ToolError} `invalid-input` when the commit does not exist.
 */
export async function commitAndParent(
  repository: GitRepository,
  ref: string,
): Promise<{ readonly commit: string; readonly parent: string }> {
  const commit = await commitOf(repository, ref);
  return { commit, parent: (await repository.hash(`${commit}^`)) ?? emptyTree };
}

/** Returns the hash of a commit. @throws {ToolError} `invalid-input` when it does not exist. */
export async function commitOf({ hash }: GitRepository, ref: string): Promise<string> {
  const commit = await hash(`${ref}^{commit}`);
  if (commit === undefined) throw new ToolError('invalid-input', `Git knows no ${ref}.`);
  return commit;
}

/**
 * Returns the commit or tree to compare with: `ref`; else the pushed state of this branch, unless nothing has changed
 * since; else the commit where it left the default branch of `origin`, or a local main; else HEAD, or the empty tree.
 *
 * @throws {ToolError} `invalid-input` when `ref` does not exist.
 */
export async function gitBase(repository: GitRepository, ref?: string): Promise<string> {
  const { line, hash } = repository;
  if (ref !== undefined && ref !== 'HEAD') return commitOf(repository, ref);
  const head = await hash('HEAD^{commit}');
  if (ref !== undefined || head === undefined) return head ?? emptyTree;
  const branch = await line('symbolic-ref', '--quiet', '--short', 'HEAD');
  const pushed = branch === undefined ? undefined : await hash(`refs/remotes/origin/${branch}^{commit}`);
  if (pushed !== undefined && (pushed !== head || (await isDirty(repository)))) return pushed;
  const main = await defaultOfOrigin(repository);
  if (main !== undefined) return (await line('merge-base', 'HEAD', main)) ?? main;
  for (const name of ['main', 'master']) {
    const local = await hash(`refs/heads/${name}^{commit}`);
    const fork = local && (await line('merge-base', 'HEAD', local));
    if (fork !== undefined && fork !== '' && fork !== head) return fork;
  }
  return head;
}

async function isDirty({ line }: GitRepository): Promise<boolean> {
  const quiet = ['diff', '--quiet', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', 'HEAD'];
  return (await line(...quiet)) === undefined;
}

async function defaultOfOrigin({ line, hash }: GitRepository): Promise<string | undefined> {
  const named = await line('symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD');
  const names = [...(named === undefined ? [] : [named]), 'refs/remotes/origin/main', 'refs/remotes/origin/master'];
  for (const name of names) {
    const commit = await hash(`${name}^{commit}`);
    if (commit !== undefined) return commit;
  }
  return undefined;
}
