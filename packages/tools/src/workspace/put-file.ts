import { randomUUID } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

/**
 * Writes a stream of bytes to a temporary file next to `path`, calls `finish` with it, and renames it to `path`. Any
 * failure, also of the stream, leaves the old file unchanged.
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
