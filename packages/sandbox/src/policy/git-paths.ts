import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { below } from './paths.ts';

/** Files of a repository. */
export interface GitPaths {
  /** Directories that git writes. */
  readonly writable: readonly string[];
  /** Files and directories whose content git executes. */
  readonly executed: readonly string[];
}

/**
 * Returns the directories of the repository that contains a directory: also those of its worktree and of its
 * submodules, which may be elsewhere. An entry `.git` that is no directory has no rights but those that its repository
 * records: a program in the workspace can write the entry.
 */
export function gitPaths(directory: string): GitPaths {
  const own = join(existsSync(directory) ? realpathSync(directory) : directory, '.git');
  const entry = findEntry(dirname(own));
  if (entry === undefined) return { writable: [], executed: [] };
  const linked = gitDirectory(entry);
  if (linked === undefined) return { writable: [], executed: [own] };
  const shared = isWorktree(linked, entry) ? dirname(dirname(linked)) : linked;
  return {
    writable: [...new Set([linked, shared])],
    executed: [
      ...executedIn([...new Set([linked, shared])], dirname(entry)),
      // A missing one would be the nearest when it is created.
      ...new Set([entry, own].filter((path) => path !== linked)),
    ],
  };
}

/** Returns what git executes in repositories below a directory: the settings of those that entries `.git` are. */
export function executedBelow(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => (isDirectory(entry) ? executedIn([entry], dirname(entry)) : [entry]));
}

function executedIn(repositories: readonly string[], workTree: string): readonly string[] {
  const all = [...new Set(repositories.flatMap((path) => [path, ...submodules(join(path, 'modules'))]))];
  return [
    // The file `commondir` leads git to the configuration and hooks of another directory.
    ...all.flatMap((path) => below(path, ['hooks', 'config', 'config.worktree', 'commondir'])),
    ...all.flatMap(worktreesOf).flatMap((path) => below(path, ['config.worktree', 'commondir'])),
    ...repositories.flatMap((path) => configuredPaths(join(path, 'config'), workTree)),
  ];
}

function worktreesOf(repository: string): readonly string[] {
  const place = join(repository, 'worktrees');
  return below(place, namesIn(place));
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function findEntry(directory: string): string | undefined {
  // No file system stores such a directory, which the caller reports.
  if (directory.includes('\0')) return undefined;
  const entry = join(directory, '.git');
  if (lstatSync(entry, { throwIfNoEntry: false }) !== undefined) return entry;
  const above = dirname(directory);
  return above === directory ? undefined : findEntry(above);
}

/** Returns the directory that an entry `.git` is, or names and that records the entry. */
function gitDirectory(entry: string): string | undefined {
  if (isDirectory(entry)) return entry;
  const named = /^gitdir: (.+)$/m.exec(textOf(entry))?.[1];
  const directory = named === undefined ? undefined : resolve(dirname(entry), named.trim());
  if (directory === undefined || !existsSync(join(directory, 'HEAD'))) return undefined;
  const real = realpathSync(directory);
  // What is inside of the workspace could record anything.
  if (`${real}/`.startsWith(`${dirname(entry)}/`)) return undefined;
  return isWorktree(real, entry) || isSubmodule(real, entry) ? real : undefined;
}

/** That of a worktree is `<repository>/worktrees/<name>`, where the repository records the path of the entry. */
function isWorktree(directory: string, entry: string): boolean {
  const worktrees = dirname(directory);
  const isPlace = basename(worktrees) === 'worktrees' && existsSync(join(dirname(worktrees), 'objects'));
  return isPlace && resolve(directory, textOf(join(directory, 'gitdir')).trim()) === entry;
}

/** That of a submodule is inside of a repository above it, and its settings record the work tree. */
function isSubmodule(directory: string, entry: string): boolean {
  const above = findEntry(dirname(dirname(entry)));
  const repository = above === undefined ? undefined : gitDirectory(above);
  const tree = /^\tworktree = (.+)$/m.exec(textOf(join(directory, 'config')))?.[1];
  const isRecorded = tree !== undefined && resolve(directory, tree) === dirname(entry);
  return isRecorded && repository !== undefined && directory.startsWith(`${repository}/modules/`);
}

function submodules(directory: string): readonly string[] {
  return namesIn(directory)
    .map((name) => join(directory, name))
    .flatMap((one) => (existsSync(join(one, 'HEAD')) ? [one, ...submodules(join(one, 'modules'))] : submodules(one)));
}

function namesIn(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Returns the directories of hooks and the included files of a configuration. */
function configuredPaths(config: string, workTree: string): readonly string[] {
  const pairs = textOf(config)
    .split('\n')
    .map((line) => line.split('=').map((part) => part.replaceAll('"', '').trim()));
  return pairs
    .filter(([key = '', path = '']) => /^(?:hookspath|path)$/i.test(key) && !/^~|^$/.test(path))
    .map(([key = '', path = '']) => resolve(key.toLowerCase() === 'path' ? dirname(config) : workTree, path))
    .filter((path) => existsSync(path));
}

/** Returns the text of a regular file, else nothing: an open sandbox has a directory there, and a pipe has no end. */
function textOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : '';
}
