import { lstatSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stageFile, syncDirectory, type WriteOptions } from '@varve/files';
import { readRegularFile } from './read-file.ts';

/** Returns the options that keep the mode and owner of a file where the system permits; none for a missing one. */
export function keepRights(previous: Stats | undefined): WriteOptions {
  return previous === undefined ? {} : { finish: (file) => setRights(file, previous) };
}

async function setRights(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const now = await file.stat();
  let isOwnerKept = now.uid === uid && now.gid === gid;
  // Only the superuser may change the owner; otherwise the file belongs to the user of this process.
  if (!isOwnerKept) {
    isOwnerKept = await file.chown(uid, gid).then(
      () => true,
      () => false,
    );
  }
  // With the set-user-id bit of another owner, everyone could run the file with the rights of this user.
  await file.chmod(mode & (isOwnerKept ? 0o7777 : 0o777));
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
 * Replaces a file in one step if it still has the content `before` when the new content is on the disk; returns false
 * if it does not.
 *
 * @throws the reason of the signal.
 */
export async function replaceAtomically(path: string, replacement: Replacement): Promise<boolean> {
  const { before, after, previous, signal } = replacement;
  signal.throwIfAborted();
  const staged = await stageFile(path, after, keepRights(previous));
  let isReplaced = false;
  try {
    isReplaced = await changeIfSame(path, before, () => {
      signal.throwIfAborted();
      staged.replace();
    });
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
