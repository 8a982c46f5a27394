import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FileContent, stageFile, type StagedFile, type WriteOptions } from './staged-file.ts';
import { syncDirectory } from './sync-directory.ts';

/**
 * Writes a file in one step: readers see the old or the new content, and a crash leaves one of both on the disk. A
 * failure, also of the content, leaves the old file and no other file.
 *
 * @throws {Error} of the system, and of the content.
 */
export async function writeAtomically(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
  await place(await stageFile(path, content, options), path, async (staged) => staged.replace());
}

/** Options of {@link createAtomically}. */
export interface CreateOptions extends WriteOptions {
  /** When it aborts before the file has its name, nothing is created. */
  readonly signal?: AbortSignal;
}

/**
 * Creates a file in one step, and never replaces anything. A part of the content never has the name of the file.
 *
 * @throws {Error} of the system, `EEXIST` when something is at the path, even if it appeared this moment; errors of the
 *   content; the reason of the signal.
 */
export async function createAtomically(
  path: string,
  content: FileContent,
  { signal, ...options }: CreateOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  assertMissing(path);
  await place(await stageFile(path, content, options), path, async (staged) => {
    signal?.throwIfAborted();
    await staged.create();
  });
}

/** Checks that nothing is at a path, not even a link to nothing. @throws {Error} of the system; `EEXIST`. */
export function assertMissing(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw Object.assign(new Error(`${path} exists.`), { code: 'EEXIST', syscall: 'open', path });
}

async function place(staged: StagedFile, path: string, move: (staged: StagedFile) => Promise<void>): Promise<void> {
  try {
    await move(staged);
  } catch (error) {
    await staged.discard();
    throw error;
  }
  await syncDirectory(dirname(path));
}
