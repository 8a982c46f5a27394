import type { HttpResponse } from './http-post.ts';

/**
 * Returns the text of a body; undefined if it has more bytes than `maxBytes` after decompression, in which case the
 * rest is not read. @throws the error of the connection.
 */
export async function limitedText({ body }: Pick<HttpResponse, 'body'>, maxBytes: number): Promise<string | undefined> {
  const utf8 = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const bytes of body ?? []) {
    size += bytes.length;
    if (size > maxBytes) return undefined;
    pieces.push(utf8.decode(bytes, { stream: true }));
  }
  return [...pieces, utf8.decode()].join('');
}
