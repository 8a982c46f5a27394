import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Returns the nearest directory, from `directory` upwards, that contains `.git`; undefined outside of repositories. */
export async function gitRoot(directory: string): Promise<string | undefined> {
  for (let current = directory; ; current = dirname(current)) {
    const isRoot = await stat(join(current, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return current;
    if (dirname(current) === current) return undefined;
  }
}
