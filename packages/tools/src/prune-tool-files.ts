import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Limits of {@link pruneToolFiles}. */
export interface PruneLimits {
  /** A directory without changes for longer than this is removed. */
  readonly maxAgeMs: number;
  /**
   * Total size above which directories are removed, the least recently changed first. Directories changed within a day
   * are never removed for their size.
   */
  readonly maxBytes: number;
  /** Name of a directory in use, which is never removed but counts for the size. */
  readonly keep?: string;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** Directory that contains only files written by tools. */
interface ToolDirectory {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly bytes: number;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** Names of all files that an edit history and a terminal write, including those left by a crash. */
const toolFile =
  /^(?:edits\.json|[0-9a-f]{64}\.before|terminal_output_[0-9a-f]{8}\.txt|(?:\.varve-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp)$/;

const inUseMs = 24 * 60 * 60 * 1000;

/**
 * Removes stored files of file editors and terminals of conversations that are no longer in use: the directories in
 * `root` that exceed the limits, each the `historyDir` of one file editor or the `outputDir` of one terminal. A
 * directory with any other content, such as a link or another directory, is left unchanged. Returns the names of the
 * removed directories; directories that cannot be read or removed are skipped.
 */
export async function pruneToolFiles(root: string, limits: PruneLimits): Promise<readonly string[]> {
  const { maxAgeMs, maxBytes, keep, now = Date.now } = limits;
  const names = await readdir(root).catch(() => []);
  const all = await Promise.all(names.map((name) => readToolDirectory(root, name)));
  const directories = all.filter((directory) => directory !== undefined);
  const removed: string[] = [];
  let bytes = 0;
  for (const directory of directories.toSorted((a, b) => b.changedAt - a.changedAt)) {
    const ageMs = now() - directory.changedAt;
    const isTooLarge = bytes + directory.bytes > maxBytes && ageMs > inUseMs;
    const isExpired = directory.name !== keep && (ageMs > maxAgeMs || isTooLarge);
    if (isExpired && (await removeDirectory(directory))) removed.push(directory.name);
    else bytes += directory.bytes;
  }
  return removed;
}

async function readToolDirectory(root: string, name: string): Promise<ToolDirectory | undefined> {
  const path = join(root, name);
  try {
    const directory = await lstat(path);
    if (!directory.isDirectory()) return undefined;
    const files = await readdir(path);
    const all = await Promise.all(files.map((file) => lstat(join(path, file))));
    if (!files.every((file) => toolFile.test(file)) || !all.every((file) => file.isFile())) return undefined;
    const changedAt = Math.max(directory.mtimeMs, ...all.map(({ mtimeMs }) => mtimeMs));
    return { name, path, files, bytes: all.reduce((sum, { size }) => sum + size, 0), changedAt };
  } catch {
    return undefined;
  }
}

/**
 * Removes a directory. Returns false if another program has added a file since it was read; the directory then remains.
 */
async function removeDirectory({ path, files }: ToolDirectory): Promise<boolean> {
  try {
    for (const file of files) await rm(join(path, file), { force: true });
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}
