import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

/**
 * Writes bytes as they come into a file beside `path`, and puts that in place in one step; `finish` works on the new file before.
 * A failure of the bytes, too, leaves what was there before.
 */
export async function putFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  finish?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx');
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
