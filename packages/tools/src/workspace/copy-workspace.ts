import { constants } from 'node:fs';
import { access, chmod, cp, lstat, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { makeDirectories } from '@varve/files';
import { namesOfPrograms } from '../changes/ignored-paths.ts';
import { identityOf, openFiles } from '../changes/file-version.ts';
import { ToolError } from '../contract/error.ts';
import { isBelow, realPathOf } from '../files/real-path.ts';
import { type GitRepository, gitRepository } from '../git/git-repository.ts';
import { createWorktree } from './worktree.ts';

/** Copy of the files of a workspace. */
export interface WorkspaceCopy {
  /** Directory in the copy that corresponds to the workspace, absolute. */
  readonly workspace: string;
  /** True for a linked worktree of the repository. */
  readonly isWorktree: boolean;
  /** Paths of the workspace that were left out; those of directories end with `/`. */
  readonly omitted: readonly string[];
}

/** Options of {@link copyWorkspace}. */
interface CopyOptions {
  /** New directory outside of what is copied. Default: next to it, with `name` at the end of its name. */
  readonly place?: string | undefined;
  readonly name: string;
  /** Absolute paths of the application, which are left out. */
  readonly excluded: readonly string[];
}

/**
 * Copies the files of a workspace as they are on the disk. In a repository with a commit that does not ignore the
 * workspace, the copy is a linked worktree with a detached HEAD and all files of the repository: its index, branches
 * and files stay as they are. What git ignores is left out, without git the directories of programs; so are `.git`,
 * pipes, devices, files that may not be read, and those that this process has open.
 *
 * @throws {ToolError} `invalid-input` for a place that exists or is in what is copied, `unusable` when git fails. What
 * was copied is then removed.
 */
export async function copyWorkspace(directory: string, { place, name, excluded }: CopyOptions): Promise<WorkspaceCopy> {
  const workspace = realPathOf(directory);
  const repository = await repositoryOf(workspace);
  const isWorktree = (await repository?.hash('HEAD^{commit}')) !== undefined;
  const top = realPathOf((isWorktree && (await repository?.line('rev-parse', '--show-toplevel'))) || workspace);
  const target = realPathOf(place ?? join(dirname(top), `${basename(top)}-${name}`));
  if (await lstat(target).catch(() => undefined)) throw new ToolError('invalid-input', `${target} exists already.`);
  if (isBelow(target, top)) throw new ToolError('invalid-input', `${target} is in ${top}, which is to be copied.`);
  const ignored = await ignoredIn(top);
  const omitted: string[] = [];
  const own = new Set(excluded.map((path) => realPathOf(path)));
  const copy = async (): Promise<void> => copyFiles({ top, target, own, ignored, isPlain: !repository, omitted });
  if (isWorktree)
    await createWorktree(gitRepository, workspace, target, {}, async ({ git }) => {
      // The files of the index; on the disk, they are those of the workspace.
      await git('reset', '--quiet');
      await copy();
      await git('update-index', '-q', '--refresh');
    });
  else {
    makeDirectories(target);
    await copy().catch(async (error: unknown) => {
      await rm(target, { recursive: true, force: true });
      throw error;
    });
  }
  const names = omitted.map((path) => relative(workspace, join(top, path)) + (path.endsWith(sep) ? sep : ''));
  const below = names.filter((path) => !path.startsWith(`..${sep}`)).toSorted();
  return { workspace: join(target, relative(top, workspace)), isWorktree, omitted: below };
}

interface CopiedTree {
  readonly top: string;
  readonly target: string;
  /** Absolute paths that are left out, and in no list. */
  readonly own: ReadonlySet<string>;
  /** Paths relative to `top`. */
  readonly ignored: ReadonlySet<string>;
  /** True without a repository. */
  readonly isPlain: boolean;
  /** Receives what is left out. */
  readonly omitted: string[];
}

async function copyFiles({ top, target, own, ignored, isPlain, omitted }: CopiedTree): Promise<void> {
  const opened = openFiles();
  const { mode } = await lstat(top);
  // Nothing can be read before the copy has the rights of the original.
  await chmod(target, 0o700);
  await cp(top, target, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    async filter(path) {
      const name = basename(path);
      if (path === top) return true;
      if (name === '.git' || own.has(path)) return false;
      // Another program may have deleted it meanwhile.
      const stats = await lstat(path).catch(() => undefined);
      if (!stats) return false;
      const isReadable = stats.isSymbolicLink() || (await access(path, constants.R_OK).then(isTrue, isFalse));
      const isKind = stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
      const isProgram = isPlain && namesOfPrograms.has(name);
      const isIgnored = ignored.has(relative(top, path)) || isProgram;
      if (isReadable && isKind && !isIgnored && !opened.has(identityOf(stats))) return true;
      omitted.push(relative(top, path) + (stats.isDirectory() ? sep : ''));
      return false;
    },
  });
  await chmod(target, mode);
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

/** Returns the repository of a directory, unless there is none, or it ignores the directory. */
async function repositoryOf(directory: string): Promise<GitRepository | undefined> {
  const repository = await gitRepository(directory).catch(() => undefined);
  // This command refuses literal paths.
  const asked = repository?.with({ variables: { GIT_LITERAL_PATHSPECS: '0' } })('check-ignore', '--quiet', '.');
  return (await asked)?.exitCode === 0 ? undefined : repository;
}

/** Returns what git ignores in a directory; of a directory with nothing else only its own path. */
async function ignoredIn(top: string): Promise<ReadonlySet<string>> {
  const repository = await repositoryOf(top);
  const list = await repository?.line('ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z');
  return new Set((list ?? '').split('\0').map((path) => path.replace(/\/$/, '')));
}
