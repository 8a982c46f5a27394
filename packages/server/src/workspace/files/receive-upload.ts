import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream } from '@fastify/busboy';
import { RequestError } from '../../error.ts';

/** Maximum size of an uploaded file. */
const maxFileBytes = 1024 * 1024 * 1024;

/** Maximum number of parts of a form, of which one is the file. */
const maxParts = 100;

/**
 * Passes the first file of the field `file` of a form to `put` while it arrives. Returns false if the form has none.
 *
 * @throws {RequestError} `path` for a body that is no complete form, `too-large` for more than 1 GiB. `put` then fails
 * too, so that it can undo its work. Its own errors pass through.
 */
export async function receiveUpload(
  request: Request,
  put: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<boolean> {
  const type = request.headers.get('content-type') ?? '';
  // The library refuses a long boundary with an error of its own; the standard allows 70 characters.
  if (!/^multipart\/form-data\s*;.*boundary="?[^";]{0,200}(?:[";]|$)/i.test(type) || !request.body) return false;
  // Loaded with the first upload.
  const { Busboy } = await import('@fastify/busboy');
  const form = new Busboy({ headers: { 'content-type': type }, limits: { fileSize: maxFileBytes, parts: maxParts } });
  let stored: Promise<{ readonly failure?: unknown }> | undefined;
  let file: BusboyFileStream | undefined;
  form.on('file', (field, stream) => {
    // The failure of the form is reported once, by its pipeline.
    stream.on('error', () => {});
    if (field !== 'file' || file) {
      stream.resume();
      return;
    }
    file = stream;
    stored = put(wholeFile(stream)).then(
      () => ({}),
      (failure: unknown) => {
        form.destroy(new Error('The file was not stored.'));
        return { failure };
      },
    );
  });
  const broken = await pipeline(Readable.fromWeb(request.body), form).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (broken) file?.destroy(new RequestError('path', 'The upload is not a complete form.'));
  const outcome = await stored;
  if (outcome && 'failure' in outcome) throw outcome.failure;
  if (broken) throw new RequestError('path', 'The upload is not a complete form.', { cause: broken.error });
  return stored !== undefined;
}

async function* wholeFile(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  if (stream.truncated) throw new RequestError('too-large', `The file is larger than ${maxFileBytes} bytes.`);
}
