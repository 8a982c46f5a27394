import { errnoOf } from '../kit/errno-of.ts';
import type { Files } from './files.ts';

/** Marks a directory as changed at a time, where this process may: for others the system's own mark has to do. */
export function touch(files: Files, path: string, modifiedNs: bigint): void {
  try {
    files.setModifiedTime(path, modifiedNs);
  } catch (error) {
    // Only the owner of a directory may.
    if (!['EPERM', 'EACCES', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}
