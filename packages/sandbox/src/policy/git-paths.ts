import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { below } from './paths.ts';

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
      // The file `commondir` leads git to the configuration and hooks of another directory.
      ...all.flatMap((path) => below(path, ['hooks', 'config', 'config.worktree', 'commondir'])),
      ...namesIn(join(shared, 'worktrees')).map((name) => join(shared, 'worktrees', name, 'commondir')),
      ...(statSync(entry).isFile() ? [entry] : []),
      ...configuredPaths(join(shared, 'config'), workTree),
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
