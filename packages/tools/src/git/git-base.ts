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
  { line }: GitRepository,
  ref: string,
): Promise<{ readonly commit: string; readonly parent: string }> {
  const hash = (name: string): Promise<string | undefined> =>
    line('rev-parse', '--verify', '--quiet', '--end-of-options', name);
  const commit = await hash(`${ref}^{commit}`);
  if (commit === undefined) throw new ToolError('invalid-input', `Git knows no ${ref}.`);
  return { commit, parent: (await hash(`${commit}^`)) ?? emptyTree };
}

/**
 * Returns the commit or tree to compare with: `ref`; else the pushed state of this branch, unless nothing has changed
 * since; else the commit where it left the default branch of `origin`, or a local main; else HEAD, or the empty tree.
 *
 * @throws {ToolError} `invalid-input` when `ref` does not exist.
 */
export async function gitBase({ line }: GitRepository, ref?: string): Promise<string> {
  const commit = (name: string): Promise<string | undefined> =>
    line('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  const head = await commit('HEAD');
  if (ref !== undefined) {
    const base = (await commit(ref)) ?? (ref === 'HEAD' ? emptyTree : undefined);
    if (base === undefined) throw new ToolError('invalid-input', `Git knows no ${ref}.`);
    return base;
  }
  if (head === undefined) return emptyTree;
  const branch = await line('symbolic-ref', '--quiet', '--short', 'HEAD');
  const pushed = branch === undefined ? undefined : await commit(`refs/remotes/origin/${branch}`);
  if (pushed !== undefined && (pushed !== head || (await isDirty({ line })))) return pushed;
  const main = await defaultOfOrigin({ line, commit });
  if (main !== undefined) return (await line('merge-base', 'HEAD', main)) ?? main;
  for (const name of ['main', 'master']) {
    const local = await commit(`refs/heads/${name}`);
    const fork = local && (await line('merge-base', 'HEAD', local));
    if (fork !== undefined && fork !== '' && fork !== head) return fork;
  }
  return head;
}

async function isDirty({ line }: Pick<GitRepository, 'line'>): Promise<boolean> {
  const quiet = ['diff', '--quiet', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', 'HEAD'];
  return (await line(...quiet)) === undefined;
}

async function defaultOfOrigin({
  line,
  commit,
}: Pick<GitRepository, 'line'> & { readonly commit: (name: string) => Promise<string | undefined> }) {
  const named = await line('symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD');
  const names = [...(named === undefined ? [] : [named]), 'refs/remotes/origin/main', 'refs/remotes/origin/master'];
  for (const name of names) {
    const commitId = await commit(name);
    if (commitId !== undefined) return commitId;
  }
  return undefined;
}
