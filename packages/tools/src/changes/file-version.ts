import { createHash } from 'node:crypto';
import { fstatSync, readdirSync, type Stats } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { readRegularFile } from '../files/read-file.ts';

/** A file at one moment. */
export interface FileVersion {
  /** Type and permissions, octal: `100644` a file, `120000` a link. */
  readonly mode: string;
  /** Hex SHA-256 of the content, or `unknown`. */
  readonly hash: string;
  /** Content, of a link its target; absent if it is not known. */
  readonly bytes?: Buffer;
  /** Reason for which the content was not read. */
  readonly omitted?: 'large' | 'special' | 'ignored';
  /** Equal for two versions without a hash if the file was not changed in between; absent for one from a log. */
  readonly stamp?: string;
}

/** Returns a file with this content. */
export function versionOf(mode: string, bytes: Buffer): FileVersion {
  return { mode, hash: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** Returns a file as the system describes it, without its content. */
export function omittedVersion(mode: string, omitted: NonNullable<FileVersion['omitted']>, stats?: Stats): FileVersion {
  const stamp = stats && { stamp: [stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino].join(' ') };
  return { mode, hash: 'unknown', omitted, ...stamp };
}

/** Returns the type and permissions of a file. */
export function modeOf(stats: Pick<Stats, 'mode' | 'isSymbolicLink'>): string {
  // The permissions of a link are not used, and differ between systems.
  return stats.isSymbolicLink() ? '120000' : stats.mode.toString(8);
}

/**
 * Returns the files that this process has open. Reading one would release its locks, such as those of a database, when
 * it is closed again.
 */
export function openFiles(): ReadonlySet<string> {
  const open = new Set<string>();
  if (process.platform === 'win32') return open;
  for (const name of readdirSync('/dev/fd')) {
    try {
      open.add(identityOf(fstatSync(Number(name))));
    } catch {
      // It was closed this moment: the directory itself.
    }
  }
  return open;
}

/** Returns what identifies a file, under all of its names. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}

/**
 * Reads a file or link; undefined if there is none, or a directory. A link at its end is not followed, and a file that
 * this process has open is not read.
 */
export async function readVersion(
  path: string,
  maxBytes: number,
  open = openFiles(),
  attempts = 3,
): Promise<FileVersion | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats || stats.isDirectory()) return undefined;
  const mode = modeOf(stats);
  if ((!stats.isFile() && !stats.isSymbolicLink()) || open.has(identityOf(stats)))
    return omittedVersion(mode, 'special', stats);
  if (stats.size > maxBytes) return omittedVersion(mode, 'large', stats);
  try {
    const bytes = stats.isSymbolicLink()
      ? await readlink(path, { encoding: 'buffer' })
      : await readRegularFile(path, maxBytes);
    return versionOf(mode, bytes);
  } catch {
    // It may have grown or been replaced this moment.
    if (attempts > 1) return readVersion(path, maxBytes, open, attempts - 1);
    return omittedVersion(mode, 'special', stats);
  }
}

/** Reports whether two states of a path are known to be equal. */
export function isSameVersion(
  before: Pick<FileVersion, 'mode' | 'hash' | 'stamp'> | undefined,
  after: Pick<FileVersion, 'mode' | 'hash' | 'stamp'> | undefined,
): boolean {
  if (!before || !after) return before === after;
  if (before.mode !== after.mode || before.hash !== after.hash) return false;
  return after.hash !== 'unknown' || (after.stamp !== undefined && before.stamp === after.stamp);
}
