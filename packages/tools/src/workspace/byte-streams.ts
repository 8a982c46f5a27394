import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ToolError } from '../contract/error.ts';
import { maxReadBytes } from './limits.ts';

const chunkBytes = 256 * 1024;

/** Yields the bytes of an open file from its beginning; the caller keeps the file open until the end. */
export async function* fileChunks(file: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Reads all bytes of a stream.
 *
 * @throws {ToolError} `invalid-input` as soon as there are more than 64 MiB; `path` is for the message.
 */
export async function readAll(path: string, stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxReadBytes) throw new ToolError('invalid-input', `The file ${path} is larger than 64 MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Multipart body and its content type, which contains the boundary. */
export interface UploadBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly contentType: string;
}

/** Returns a streamed form with the bytes in the field `file`. */
export function uploadBody(bytes: AsyncIterable<Uint8Array>): UploadBody {
  const boundary = `varve-${randomUUID()}`;
  const disposition = 'Content-Disposition: form-data; name="file"; filename="file"';
  const head = `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head);
    yield* bytes;
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { stream: ReadableStream.from(parts()), contentType: `multipart/form-data; boundary=${boundary}` };
}
