import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * Writes a file that only this user can read, in the place of whatever is there: a pipe, a link or a directory is
 * removed, not opened. Opening a pipe would block this process until another one reads it.
 *
 * @throws {Error} of the system.
 */
export function writePrivateFile(path: string, text: string): void {
  rmSync(path, { recursive: true, force: true });
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

/** Removes what is at the path, if that is possible. */
export function removePrivateFile(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another program has replaced a directory above it, or it cannot be removed.
  }
}
