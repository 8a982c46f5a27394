import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a regular file at a path whose links are resolved. A pipe, device or link that another program has put in its
 * place is refused: opening a pipe would wait for a writer, out of reach of a signal, and occupy a thread of Node for
 * as long. The caller closes the file.
 *
 * @throws {Error} of the system; `ELOOP` for a link. An error without a code when it is no regular file.
 */
export async function openFile(real: string): Promise<FileHandle> {
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is no longer a regular file');
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads a regular file as {@link openFile} opens it.
 *
 * @throws {Error} as `openFile`, and when the file has more than `maxBytes`, even if it has grown this moment.
 */
export async function readRegularFile(real: string, maxBytes: number): Promise<Buffer> {
  await using file = await openFile(real);
  const { size } = await file.stat();
  if (size > maxBytes) throw new Error(`it has grown to ${size} bytes`);
  // Files of the system, such as those of /proc, have the size 0, and some of them have no end.
  const content = file.createReadStream({ end: maxBytes, autoClose: false, highWaterMark: 1024 * 1024 });
  const chunks: Buffer[] = [];
  for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
  return bytes;
}
