import { exceededJsonLimit } from '@varve/text';
import { defaultReplyLimits, maxErrorBytes } from './reply-limits.ts';

/**
 * Returns the text of a body; undefined if it has more bytes than `maxBytes` after decompression, in which case the
 * rest is not read. @throws the error of the connection.
 */
export async function limitedText({ body }: Response, maxBytes: number): Promise<string | undefined> {
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

/**
 * Returns a response whose body may be read as a whole: that of an error is replaced by a note if it is too long, or
 * nested too deep to be written again. It is not cut, as a secret that is cut would not be found.
 */
export async function withLimitedError(response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (ok || !response.body) return response;
  // Without its body, an error still has its status.
  const text = await limitedText(response, maxErrorBytes).catch(() => '');
  if (text === undefined) return note(`a body of more than ${maxErrorBytes} bytes`, response);
  if (exceededJsonLimit(text, defaultReplyLimits)) return note('a body with too many levels or values', response);
  return new Response(text, { status, headers });
}

function note(text: string, { status, headers }: Response): Response {
  return new Response(text, { status, headers: withoutContentType(headers) });
}

function withoutContentType(headers: Headers): Headers {
  const others = new Headers(headers);
  others.delete('content-type');
  return others;
}
