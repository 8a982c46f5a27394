import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gitRoot } from '@varve/files';
import type { ContextFile } from './context-file.ts';

/** Place of a context file that may exist. */
export interface ContextPlace extends Pick<ContextFile, 'path' | 'origin'> {
  /** Directory that its target must be in, with links resolved. */
  readonly root: string;
}

/**
 * Names in the directories of a repository, in lower case: they are compared without case.
 *
 * @see software-agent-sdk openhands/sdk/context/skills (third-party files)
 */
const repositoryNames = [
  'agents.md',
  'agent.md',
  'claude.md',
  'claude.local.md',
  'gemini.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.openhands_instructions',
];

/** Further files of a workspace. Those in the directories of skills are read as skills. */
const repositoryPaths = ['.github/copilot-instructions.md'];

/** Files and directories of other tools that have no effect. */
const unreadPaths = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/rules',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '.windsurf/rules',
  '.clinerules/',
  '.roo/rules',
  '.github/instructions',
];

/** Files of a user, below the home directory. */
const userPaths = ['.agents/AGENTS.md', '.openhands/AGENTS.md', '.claude/CLAUDE.md', '.gemini/GEMINI.md'];

/** Highest number of directories between a workspace and the root of its repository. */
const maxParents = 30;

/** Returns the places of a user's files. */
export async function userPlaces(home: string | undefined, more: readonly string[]): Promise<readonly ContextPlace[]> {
  const root = home === undefined ? '' : await realpath(home).catch(() => home);
  const paths = home === undefined ? [] : userPaths.map((path) => join(home, path));
  const below = paths.map((path) => ({ path, origin: 'user' as const, root }));
  const others = more.map(async (path) => ({
    path,
    origin: 'user' as const,
    root: await realpath(dirname(path)).catch(() => dirname(path)),
  }));
  return [...below, ...(await Promise.all(others))];
}

/**
 * Returns the files of a workspace and of the directories above it, up to the root of its repository, which comes
 * first. Without a repository only those of the workspace count: a directory above may belong to another person.
 */
export async function repositoryPlaces(workspace: string): Promise<readonly ContextPlace[]> {
  const directories = await directoriesOf(await realpath(workspace).catch(() => workspace));
  const root = directories[0] ?? workspace;
  const lists = await Promise.all(directories.map(async (directory) => pathsIn(directory)));
  return lists.flat().map((path) => ({ path, origin: 'repository' as const, root }));
}

/** Rules that are skills in a workspace and in the root of its repository, and have no effect between them. */
const rulesOfFolders = '.cursor/rules';

/** Returns the files of other tools that have no effect, in a workspace and above it in its repository. */
export async function unreadPlaces(workspace: string): Promise<readonly string[]> {
  const directories = await directoriesOf(await realpath(workspace).catch(() => workspace));
  const between = directories.slice(1, -1).map((directory) => `${directory}/${rulesOfFolders}`);
  const paths = [...directories.flatMap((directory) => unreadPaths.map((path) => `${directory}/${path}`)), ...between];
  const exists = await Promise.all(paths.map(async (path) => stat(path).then(Boolean, () => false)));
  return paths.filter((_, index) => exists[index]).map((path) => path.replace(/\/$/, ''));
}

async function directoriesOf(workspace: string): Promise<readonly string[]> {
  const root = await gitRoot(workspace);
  const directories = [workspace];
  for (let current = workspace; directories.length <= maxParents; current = dirname(current)) {
    if (current !== workspace) directories.unshift(current);
    if (current === root) return directories;
    if (dirname(current) === current) break;
  }
  return [workspace];
}

async function pathsIn(directory: string): Promise<readonly string[]> {
  const names = (await readdir(directory).catch((): string[] => [])).toSorted();
  const known = repositoryNames.flatMap((wanted) => names.filter((name) => name.toLowerCase() === wanted));
  return [...known, ...repositoryPaths].map((name) => join(directory, name));
}
