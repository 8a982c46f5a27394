import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads every regular file below a directory, by relative path. */
export async function filesIn(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    if ((await lstat(path)).isFile()) files.set(name, await readFile(path));
  }
  return files;
}
