import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns the nearest directory, from `directory` upwards, that is a repository of git; otherwise the nearest one that
 * contains `.git`; undefined if there is none. Git, too, passes over a `.git` directory without a `HEAD`.
 */
export async function gitRoot(directory: string): Promise<string | undefined> {
  let incomplete: string | undefined;
  for (let current = directory; ; current = dirname(current)) {
    const stats = await stat(join(current, '.git')).catch(() => undefined);
    // A worktree and a submodule have a file there.
    if (stats && (!stats.isDirectory() || (await stat(join(current, '.git/HEAD')).catch(() => undefined))))
      return current;
    if (stats) incomplete ??= current;
    if (dirname(current) === current) return incomplete;
  }
}
