import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Replaces a file in one step: readers see the old or the new content, and so does the disk after a crash. Mode and owner of
 * `previous` are kept where the system permits. A failure leaves the old file and nothing else behind.
 */
export async function writeAtomically(path: string, bytes: Buffer, previous: Stats | undefined): Promise<void> {
  const directory = dirname(path);
  const staged = join(directory, `.varve-${randomUUID()}.tmp`);
  try {
    const file = await open(staged, 'wx', 0o666);
    try {
      await file.writeFile(bytes);
      if (previous !== undefined) await keepOwner(file, previous);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

async function keepOwner(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  // Only the superuser may give a file away; then the file belongs to who edits it.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  // Some file systems cannot sync a directory; the rename has happened all the same.
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
