import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { archiveFiles, type ArchiveOptions } from './archive-files.ts';

/** Options of {@link unpackArchive}. */
export interface UnpackArchiveOptions extends ArchiveOptions {
  /** A `.zip` or `.tar.gz` archive. */
  readonly archive: Buffer;
  /** Directory that is created for the files; its parent exists. */
  readonly directory: string;
}

/**
 * Unpacks an archive into a new directory. Nothing of it is executed.
 *
 * @throws {RequestError} `invalid` for an archive with a link, a path that leads outside, or more than its limits; then
 * nothing is written.
 */
export async function unpackArchive({ archive, directory, ...options }: UnpackArchiveOptions): Promise<void> {
  await writeFiles(directory, await archiveFiles(archive, options));
}

/** Writes files below a new directory, by their relative paths. */
export async function writeFiles(directory: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const made = new Set<string>();
  const make = async (path: string): Promise<void> => {
    if (made.has(path)) return;
    if (path !== directory) await make(dirname(path));
    await mkdir(path);
    made.add(path);
  };
  await make(directory);
  for (const [path, content] of files) {
    const target = join(directory, path);
    await make(dirname(target));
    await writeFile(target, content, { flag: 'wx', mode: path.startsWith('scripts/') ? 0o755 : 0o644 });
  }
}
