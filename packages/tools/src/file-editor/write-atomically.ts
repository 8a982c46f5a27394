import type { Stats } from 'node:fs';
import { stagedFile } from './staged-file.ts';

/**
 * Replaces a file in one step: readers see the old or the new content, and so does the disk after a crash. Mode and owner of
 * `previous` are kept where the system permits. A failure leaves the old file and nothing else behind.
 */
export async function writeAtomically(path: string, bytes: Buffer, previous: Stats | undefined): Promise<void> {
  const staged = await stagedFile(path, bytes, previous);
  try {
    await staged.commit();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
