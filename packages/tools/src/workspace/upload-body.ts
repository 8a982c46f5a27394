import { randomUUID } from 'node:crypto';

/** A multipart body, and the type that names its boundary. */
export interface UploadBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly contentType: string;
}

/** Bytes as the field `file` of a form, streamed. */
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
