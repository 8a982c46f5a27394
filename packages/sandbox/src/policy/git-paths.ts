import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Files of a repository. */
export interface GitPaths {
  /** Directories that git writes. */
  readonly writable: readonly string[];
  /** Files and directories whose content git executes. */
  readonly executed: readonly string[];
}

const none: GitPaths = { writable: [], executed: [] };

/**
 * Returns the directories of the repository that contains a directory: also those of its worktree and of its
 * submodules, which may be elsewhere.
 */
export function gitPaths(directory: string): GitPaths {
  const entry = findEntry(directory);
  if (entry === undefined) return none;
  const linked = gitDirectory(entry);
  if (linked === undefined) return none;
  const shared = commonDirectory(linked);
  const all = [...new Set([linked, shared, ...submodules(join(shared, 'modules'))])];
  const workTree = dirname(entry);
  return {
    writable: [...new Set([linked, shared])],
    executed: [
      ...all.flatMap((path) => [join(path, 'hooks'), join(path, 'config'), join(path, 'config.worktree')]),
      // A worktree names its directories in these files: another name would lead git to hooks of another place.
      ...[join(linked, 'commondir'), ...(statSync(entry).isFile() ? [entry] : [])].filter((path) => existsSync(path)),
      ...hooksPaths(join(shared, 'config'), workTree),
    ],
  };
}

function findEntry(directory: string): string | undefined {
  const entry = join(directory, '.git');
  if (existsSync(entry)) return realpathSync(entry);
  const above = dirname(directory);
  return above === directory ? undefined : findEntry(above);
}

/** Returns the directory that an entry `.git` is, or names. */
function gitDirectory(entry: string): string | undefined {
  if (statSync(entry).isDirectory()) return entry;
  const named = /^gitdir: (.+)$/m.exec(textOf(entry))?.[1];
  const directory = named === undefined ? undefined : resolve(dirname(entry), named.trim());
  if (directory === undefined || !existsSync(join(directory, 'HEAD'))) return undefined;
  const real = realpathSync(directory);
  return isWorktree(real, entry) || isSubmodule(real, entry) ? real : undefined;
}

/** Any file may name any directory: that of a worktree names the worktree in return. */
function isWorktree(directory: string, entry: string): boolean {
  const back = join(directory, 'gitdir');
  return existsSync(back) && resolve(directory, textOf(back).trim()) === entry;
}

/** That of a submodule is inside of a repository above it. */
function isSubmodule(directory: string, entry: string): boolean {
  const above = dirname(dirname(entry));
  const repository = findEntry(above);
  return repository !== undefined && directory.startsWith(`${repository}/modules/`);
}

function commonDirectory(directory: string): string {
  const file = join(directory, 'commondir');
  if (!existsSync(file)) return directory;
  const common = resolve(directory, textOf(file).trim());
  return existsSync(join(common, 'objects')) ? realpathSync(common) : directory;
}

function submodules(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(directory, name))
    .flatMap((path) =>
      existsSync(join(path, 'HEAD')) ? [path, ...submodules(join(path, 'modules'))] : submodules(path),
    );
}

/** Returns the directory that a repository has configured for its hooks. */
function hooksPaths(config: string, workTree: string): readonly string[] {
  const lines = textOf(config)
    .split('\n')
    .map((line) => line.trim());
  const named = lines
    .findLast((line) => /^hookspath\b/i.test(line))
    ?.replace(/^[^=]*=/, '')
    .replaceAll('"', '')
    .trim();
  const path = named === undefined || named.startsWith('~') ? undefined : resolve(workTree, named);
  return path !== undefined && existsSync(path) ? [path] : [];
}

/** Returns the text of a regular file, else nothing: an open sandbox has a directory there, and a pipe has no end. */
function textOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : '';
}
