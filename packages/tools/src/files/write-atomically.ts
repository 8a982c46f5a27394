import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync, type Stats } from 'node:fs';
import { constants, copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from './read-file.ts';

/**
 * Replaces a file in one step: readers see the old or the new content, and a crash leaves one of both on disk. Mode and
 * owner of `previous` are kept where the system permits; a file without one has `mode`. A failure leaves the old file
 * and no other file.
 */
export async function writeAtomically(
  path: string,
  bytes: Buffer,
  previous: Stats | undefined,
  mode = 0o666,
): Promise<void> {
  const staged = await stageFile(path, bytes, previous, mode);
  try {
    await staged.commit();
  } catch (error) {
    await staged.discard();
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** New content of a file that was read before. */
export interface Replacement {
  /** Content that is replaced. */
  readonly before: Buffer;
  readonly after: Buffer;
  /** File whose mode and owner are kept. */
  readonly previous: Stats | undefined;
  /** When it aborts before the file is replaced, nothing is changed. */
  readonly signal: AbortSignal;
}

/**
 * Replaces a file in one step, as {@link writeAtomically}, if it still has the content `before` when the new content is
 * on disk; returns false if it does not.
 *
 * @throws the reason of the signal.
 */
export async function replaceAtomically(path: string, replacement: Replacement): Promise<boolean> {
  const { before, after, previous, signal } = replacement;
  signal.throwIfAborted();
  const staged = await stageFile(path, after, previous);
  let isReplaced = false;
  try {
    isReplaced = await staged.replace(before, signal);
  } finally {
    if (!isReplaced) await staged.discard();
  }
  if (isReplaced) await syncDirectory(dirname(path));
  return isReplaced;
}

/**
 * Calls `change` if a file has this content, and returns whether it did. Between the last look at the file and the
 * synchronous change no other work of this process runs, and a change by another program has the time of a system call.
 */
export async function changeIfSame(path: string, content: Buffer, change: () => void): Promise<boolean> {
  const version = versionOf(path);
  if (version === undefined || !(await hasContent(path, content)) || versionOf(path) !== version) return false;
  change();
  return true;
}

/** Returns what changes whenever a file is changed or replaced, as exactly as the file system records its times. */
function versionOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join();
}

/** Returns true if a regular file has this content. */
export async function hasContent(path: string, content: Buffer): Promise<boolean> {
  const now = await readRegularFile(path, content.length).catch(() => undefined);
  return now?.equals(content) ?? false;
}

/**
 * Creates a file in one step, as {@link writeAtomically}, and never overwrites one.
 *
 * @throws {Error} with code `EEXIST` when something is at the path already; the reason of a signal that aborts before
 * the file is there.
 */
export async function createAtomically(path: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const staged = await stageFile(path, bytes, undefined);
  try {
    signal.throwIfAborted();
    await staged.create();
  } finally {
    await staged.discard();
  }
  await syncDirectory(dirname(path));
}

/**
 * New content written and synced to a temporary file in the directory of the file it will replace. The caller syncs the
 * directory after a change.
 */
export interface StagedFile {
  /** Renames the temporary file to its final path. */
  readonly commit: () => Promise<void>;
  /**
   * Renames it if the file at the final path has this content, as {@link changeIfSame}; returns whether it did.
   *
   * @throws the reason of a signal that has aborted, in the moment before the change.
   */
  readonly replace: (content: Buffer, signal?: AbortSignal) => Promise<boolean>;
  /**
   * Creates the file at its final path.
   *
   * @throws {Error} with code `EEXIST` when something is there already, even if it appeared this moment.
   */
  readonly create: () => Promise<void>;
  /** Removes the temporary file. */
  readonly discard: () => Promise<void>;
}

/**
 * Writes content to a temporary file next to `path`. Mode and owner of `previous` are kept where the system permits.
 */
export async function stageFile(
  path: string,
  bytes: Buffer,
  previous: Stats | undefined,
  mode = 0o666,
): Promise<StagedFile> {
  const directory = dirname(path);
  const staged = join(directory, `.varve-${randomUUID()}.tmp`);
  const discard = (): Promise<void> => rm(staged, { force: true });
  try {
    // The content of a private file is in no other file that another user can read, not even for a moment.
    const file = await open(staged, 'wx', previous === undefined ? mode : 0o600);
    try {
      await file.writeFile(bytes);
      if (previous !== undefined) await keepOwner(file, previous);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const commit = async (): Promise<void> => rename(staged, path);
  const replace = async (content: Buffer, signal?: AbortSignal): Promise<boolean> =>
    changeIfSame(path, content, () => {
      signal?.throwIfAborted();
      renameSync(staged, path);
    });
  const create = async (): Promise<void> => {
    await link(staged, path).catch(async (error: unknown) => {
      if (isExisting(error)) throw error;
      // A file system without hard links: the content appears in several steps, but still overwrites nothing.
      await copyFile(staged, path, constants.COPYFILE_EXCL);
    });
    await rm(staged);
  };
  return { commit, replace, create, discard };
}

/** Returns true for the error of a path at which something exists. */
export function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

async function keepOwner(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  let isKept = own.uid === uid && own.gid === gid;
  // Only the superuser may change the owner; otherwise the file belongs to the user of this process.
  if (!isKept) {
    isKept = await file.chown(uid, gid).then(
      () => true,
      () => false,
    );
  }
  // With the set-user-id bit of another owner, everyone could run the file with the rights of this user.
  await file.chmod(mode & (isKept ? 0o7777 : 0o777));
}

/** Syncs a directory, so that a changed name in it is on disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  // Some file systems cannot sync a directory; the rename has succeeded nevertheless.
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
