import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Writes a stream of bytes to a temporary file next to `path`, and renames it to `path`. `finish` is called with the
 * file before that, and sets its mode: until then only the owner can read it. Any failure, also of the stream, leaves
 * the old file unchanged.
 */
export async function putFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  finish?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = join(dirname(path), `.varve-${randomUUID()}.tmp`);
  const file = await open(part, 'wx', finish ? 0o600 : 0o666);
  try {
    try {
      for await (const chunk of bytes) await file.writeFile(chunk);
      await finish?.(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
