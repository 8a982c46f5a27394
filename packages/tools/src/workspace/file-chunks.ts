import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** The bytes of an open file from its beginning; the caller keeps the file open until the last one. */
export async function* fileChunks(file: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
