import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir, rm, rmdir, unlink } from 'node:fs/promises';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * Writes a file that only this user can read, in the place of whatever is there: a pipe or a link is removed, not
 * opened, and a directory is renamed. Opening a pipe would block this process until another one reads it.
 *
 * @throws {Error} of the system.
 */
export function writePrivateFile(path: string, text: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) renameSync(path, `${path}-${randomUUID()}`);
  rmSync(path, { force: true });
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Returns the text of a regular file of at most `maxBytes`; undefined for anything else, which is not waited for. */
export function readPrivateFile(path: string, maxBytes: number): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(file);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Removes the file at the path, if that is possible. */
export function removePrivateFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another program has replaced it by a directory, or it cannot be removed.
  }
}

/**
 * Removes a directory with all that is in it, if that is possible. Each directory is opened before what is in it is
 * removed: a program that replaces one by a link leads nowhere. Without `/proc`, as the system removes directories.
 */
export async function removePrivateDirectory(path: string): Promise<void> {
  const isRemoved = process.platform === 'linux' ? removeOpened(path) : rm(path, { recursive: true, force: true });
  await isRemoved.catch(() => undefined);
}

async function removeOpened(path: string): Promise<void> {
  const directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${directory.fd}`;
    for (const entry of await readdir(opened, { withFileTypes: true }))
      await (entry.isDirectory() ? removeOpened : unlink)(`${opened}/${entry.name}`);
  } finally {
    await directory.close();
  }
  await rmdir(path);
}
