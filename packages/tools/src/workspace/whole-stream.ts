import { ToolError } from '../error.ts';
import { mostRead } from './limits.ts';

/**
 * All bytes of a stream.
 *
 * @throws {ToolError} `invalid-input` as soon as they are more than 64 MiB; `path` is for the message.
 */
export async function wholeStream(path: string, stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > mostRead) throw new ToolError('invalid-input', `The file ${path} is larger than 64 MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
