import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the state of a directory: names, modes, inodes, times and contents. */
export async function directoryTraces(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true });
  const lines = await Promise.all(['.', ...names].toSorted().map((name) => trace(directory, name)));
  return lines;
}

async function trace(directory: string, name: string): Promise<string> {
  const path = join(directory, name);
  const stats = await lstat(path);
  const content = stats.isFile()
    ? createHash('sha256')
        .update(await readFile(path))
        .digest('hex')
    : stats.isSymbolicLink()
      ? await readlink(path)
      : '';
  return `${name} ${stats.mode} ${stats.ino} ${stats.mtimeMs} ${content}`;
}

/** Reads every regular file below a directory, by relative path. */
export async function filesIn(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    if ((await lstat(path)).isFile()) files.set(name, await readFile(path));
  }
  return files;
}
