import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gitRoot } from '@varve/files';

/**
 * Returns a workspace and the directories above it, up to the root of its repository; without a repository, the
 * workspace alone: a directory above may belong to another person. `workspace` is absolute.
 */
export async function repositoryDirectories(workspace: string): Promise<readonly string[]> {
  const root = (await gitRoot(workspace)) ?? workspace;
  const directories = [workspace];
  for (let at = workspace; at !== root; directories.push(at)) at = dirname(at);
  return directories;
}

/** Reports whether a path exists; a link counts, also to nothing. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
