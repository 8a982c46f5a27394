import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes files, with their directories, below `directory`; each is a second newer than the one before it. */
export async function writeFiles(directory: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const start = 1_700_000_000;
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, start + index, start + index);
  }
}
