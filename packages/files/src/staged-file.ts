import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { constants, copyFile, type FileHandle, link, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from './errno.ts';

/** Content of a file: all of it, or its pieces in order. */
export type FileContent = string | Uint8Array | Iterable<string> | AsyncIterable<string | Uint8Array>;

/** Options of a file that is written. */
export interface WriteOptions {
  /** Mode of the file, reduced by the umask of the process; 0o666 by default. */
  readonly mode?: number;
  /**
   * Called with the complete file before it has its name, to set mode and owner. Until then only the owner can read the
   * content: that of a private file is in no file that another user can read, not even for a moment.
   */
  readonly finish?: (file: FileHandle) => Promise<void>;
  /** Name of the temporary file, in the same directory; random by default. A killed process leaves it there. */
  readonly temporaryName?: string;
}

/** Content that is on the disk in a temporary file. The caller syncs the directory after a change. */
export interface StagedFile {
  /** Moves the file to its final path, and replaces a file there. Nothing else of this process runs during it. */
  readonly replace: () => void;
  /**
   * Moves the file to its final path, and never replaces anything.
   *
   * @throws {Error} of the system, `EEXIST` when something is there, even if it appeared this moment.
   */
  readonly create: () => Promise<void>;
  /** Removes the temporary file if it is there. */
  readonly discard: () => Promise<void>;
}

/**
 * Writes content to a temporary file next to `path`, and syncs it. A failure, also of the content, leaves no file.
 *
 * @throws {Error} of the system, and of the content.
 */
export async function stageFile(path: string, content: FileContent, options: WriteOptions = {}): Promise<StagedFile> {
  const { mode = 0o666, finish, temporaryName } = options;
  const staged = temporaryName === undefined ? temporaryPath(path) : join(dirname(path), temporaryName);
  const file = await open(staged, 'wx', finish ? 0o600 : mode);
  const discard = async (): Promise<void> => rm(staged, { force: true });
  try {
    try {
      await file.writeFile(content);
      await finish?.(file);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const create = async (): Promise<void> => {
    await link(staged, path).catch(async (error: unknown) => {
      if (errnoOf(error) === 'EEXIST') throw error;
      // A file system without hard links: the content appears in several steps, but still replaces nothing.
      await copyFile(staged, path, constants.COPYFILE_EXCL);
    });
    await discard();
  };
  return { replace: () => renameSync(staged, path), create, discard };
}

/** Returns a new path next to a path, which may have the longest name. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `.varve-${randomUUID()}.tmp`);
}

/** Reports whether a path is one that {@link temporaryPath} returns. */
export function isTemporaryPath(path: string): boolean {
  return /(?:^|[\\/])\.varve-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(path);
}
