import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { constants, copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from './read-file.ts';

/**
 * Replaces a file in one step: readers see the old or the new content, and a crash leaves one of both on disk. Mode and
 * owner of `previous` are kept where the system permits. A failure leaves the old file and no other file.
 */
export async function writeAtomically(path: string, bytes: Buffer, previous: Stats | undefined): Promise<void> {
  const staged = await stageFile(path, bytes, previous);
  try {
    await staged.commit();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** New content of a file that was read before. */
export interface Replacement {
  /** Content that is replaced. */
  readonly before: Buffer;
  readonly after: Buffer;
  /** File whose mode and owner are kept. */
  readonly previous: Stats | undefined;
}

/**
 * Replaces a file in one step, as {@link writeAtomically}, if it still has the content `before`; returns false if it
 * does not. It is compared when the new content is on disk: between the comparison and the replacement nothing waits.
 */
export async function replaceAtomically(path: string, { before, after, previous }: Replacement): Promise<boolean> {
  const staged = await stageFile(path, after, previous);
  try {
    if (!(await hasContent(path, before))) {
      await staged.discard();
      return false;
    }
    await staged.commit();
    return true;
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** Returns true if a regular file has this content. */
export async function hasContent(path: string, content: Buffer): Promise<boolean> {
  const now = await readRegularFile(path, content.length).catch(() => undefined);
  return now?.equals(content) ?? false;
}

/**
 * Creates a file in one step, as {@link writeAtomically}, and never overwrites one.
 *
 * @throws {Error} with code `EEXIST` when something is at the path already.
 */
export async function createAtomically(path: string, bytes: Buffer): Promise<void> {
  const staged = await stageFile(path, bytes, undefined);
  try {
    await staged.create();
  } finally {
    await staged.discard();
  }
}

/** New content written and synced to a temporary file in the directory of the file it will replace. */
export interface StagedFile {
  /** Renames the temporary file to its final path. */
  readonly commit: () => Promise<void>;
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
export async function stageFile(path: string, bytes: Buffer, previous: Stats | undefined): Promise<StagedFile> {
  const directory = dirname(path);
  const staged = join(directory, `.varve-${randomUUID()}.tmp`);
  const discard = (): Promise<void> => rm(staged, { force: true });
  try {
    const file = await open(staged, 'wx', 0o666);
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
  const commit = async (): Promise<void> => {
    await rename(staged, path);
    await syncDirectory(directory);
  };
  const create = async (): Promise<void> => {
    await link(staged, path).catch(async (error: unknown) => {
      if (isExisting(error)) throw error;
      // A file system without hard links: the content appears in several steps, but still overwrites nothing.
      await copyFile(staged, path, constants.COPYFILE_EXCL);
    });
    await rm(staged);
    await syncDirectory(directory);
  };
  return { commit, create, discard };
}

/** Returns true for the error of a path at which something exists. */
export function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

async function keepOwner(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  // Only the superuser may change the owner; otherwise the file belongs to the user of this process.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  // Some file systems cannot sync a directory; the rename has succeeded nevertheless.
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
