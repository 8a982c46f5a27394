import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that does not exist yet and that only its owner can read. Resolves when it is on the disk. A part of it
 * never has its name: the text is written to another file next to it first, which a killed process leaves there.
 *
 * @throws Errors of the system, `EEXIST` also for a file that appeared at the same time, and errors of the text.
 */
export async function writeNewFile(path: string, text: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await checkNew(path);
  const part = partOf(path);
  try {
    const file = await open(part, 'wx', 0o600);
    await pipeline(Readable.from(text), file.createWriteStream({ flush: true }));
    await moveIntoPlace(part, path);
  } finally {
    await rm(part, { force: true });
  }
  await syncDirectory(dirname(path));
}

/** Returns a new path next to a path that may have the longest name. */
export function partOf(path: string): string {
  return join(dirname(path), `varve-${randomUUID()}.part`);
}

/** Checks that nothing has this name, not even a link to nothing. @throws Errors of the system, such as `EEXIST`. */
export async function checkNew(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found) throw Object.assign(new Error(`${path} exists.`), { code: 'EEXIST', syscall: 'open', path });
}

/** Makes the name of a new file and of what is in it durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  // Some systems cannot sync a directory; the file is complete nevertheless.
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

async function moveIntoPlace(part: string, path: string): Promise<void> {
  await link(part, path).catch(async (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    // A file system without hard links: the text appears in several steps, but still replaces nothing.
    await copyFile(part, path, constants.COPYFILE_EXCL);
  });
}
