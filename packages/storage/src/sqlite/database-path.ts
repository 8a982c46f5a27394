import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf } from '@varve/files';
import { StorageError } from '../contract/error.ts';

/** Links that are followed to a file that does not exist yet, as many as Linux follows. */
const maxLinks = 40;

/**
 * Returns the path of a database with all links resolved: SQLite puts its other files next to the file itself. A link
 * may lead to a file that does not exist yet. Throws errors of the system.
 */
export function databasePath(path: string): string {
  let at = resolve(path);
  for (let links = 0; links < maxLinks; links += 1) {
    const real = unlessMissing(() => realpathSync(at));
    if (real !== undefined) return real;
    const target = unlessMissing(() => readlinkSync(at));
    if (target === undefined) return at;
    at = resolve(dirname(at), target);
  }
  return at;
}

/** Returns undefined for a path that does not exist, or is not a link. */
function unlessMissing(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Checks that all processes find the database, whose links are resolved, at the same place. SQLite derives the names of
 * the write-ahead log and of the locks from the name of the file: two processes that open it by different names
 * overwrite the commits of each other. Also checks that its other files are files or missing: SQLite waits without end
 * for the other end of a pipe.
 *
 * @throws {StorageError} `io` for a file with several hard links, for one that is mounted without its directory, and
 * for one next to which a pipe, directory or link has the name of its journal, write-ahead log or shared memory.
 * @see https://www.sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file
 */
export function checkFiles(path: string): void {
  const reason = 'so processes that open it by another name would overwrite its commits';
  if (isMountPoint(path)) throw new StorageError('io', `${path} is mounted without its directory, ${reason}.`);
  const links = statSync(path, { throwIfNoEntry: false });
  if (links?.isFile() && links.nlink > 1)
    throw new StorageError('io', `${path} has ${links.nlink} hard links, ${reason}.`);
  checkSideFiles(path);
}

function checkSideFiles(path: string): void {
  for (const file of ['-journal', '-wal', '-shm'].map((suffix) => path + suffix)) {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() === false) throw new StorageError('io', `${file} is not a regular file.`);
  }
}

/** Returns true if a file system is mounted exactly here. Linux only: other systems do not mount files. */
function isMountPoint(path: string): boolean {
  return mountPointsIn(mountTable()).has(path);
}

/**
 * Returns the mount points of a mount table.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function mountPointsIn(table: string): ReadonlySet<string> {
  const points = table.split('\n').map((line) => line.split(' ')[4] ?? '');
  // Blanks, tabs, line feeds and backslashes are octal numbers.
  return new Set(
    points.map((point) =>
      point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8))),
    ),
  );
}

function mountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
