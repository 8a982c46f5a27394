import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns a workspace and the directories above it, up to the root of its repository; without a repository, the
 * workspace alone: a directory above may belong to another person. `workspace` is absolute.
 */
export async function repositoryDirectories(workspace: string): Promise<readonly string[]> {
  const directories: string[] = [];
  for (let at = workspace; ; at = dirname(at)) {
    directories.push(at);
    if (await exists(join(at, '.git'))) return directories;
    if (dirname(at) === at) return [workspace];
  }
}

/** Reports whether a path exists; a link counts, also to nothing. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
