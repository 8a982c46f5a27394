import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file that does not exist yet and that only its owner can read. Resolves when it is on the disk. A file that
 * cannot be written to its end is removed: a part of it must not look like all of it.
 *
 * @throws Errors of the system and of the text.
 */
export async function writeNewFile(path: string, text: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await pipeline(Readable.from(text), file.createWriteStream({ flush: true }));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
