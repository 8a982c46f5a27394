import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** A request that is ready to be sent. */
export interface Post {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces of one body, so that it need not be copied to be closed. They must not change. */
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

/**
 * Posts over Node's own HTTP client, and resolves with the head of the answer, whatever its status. What `fetch` does besides
 * costs a request more than everything else that an agent does in a step: it copies the body several times. Follows no redirect
 * and waits as long as the signal lets it; connections and proxies are those of Node's global agents.
 *
 * @throws what the connection failed with.
 */
export async function httpPost(url: string, { headers, body, signal }: Post): Promise<Response> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const length = body.reduce((sum, piece) => sum + piece.byteLength, 0);
    const own = { 'accept-encoding': 'identity', ...headers, 'content-length': length };
    const request = send(url, { method: 'POST', headers: own, signal }, resolve);
    request.on('error', reject);
    // An answer that changes to another protocol closes the connection without an error. After an answer this changes nothing.
    request.on('close', () => reject(new Error('The connection was closed without an answer.')));
    for (const piece of body) request.write(piece);
    request.end();
  });
  const { statusCode: status = 0 } = message;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new Error(`The answer has the status ${status}, which HTTP does not know.`);
  }
  const init = { status, headers: headersOf(message) };
  if (hasBody(status)) return new Response(bodyOf(message), init);
  // What is not read holds its connection.
  message.resume();
  return new Response(null, init);
}

/** A `Response` of such a status takes no body. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some proxies pack what they were asked to leave as it is. */
function bodyOf(message: IncomingMessage): ReadableStream {
  const unpack = unpackers[message.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  // What goes wrong with the message goes wrong with what is read.
  const readable = unpack ? pipeline(message, unpack(), () => undefined) : message;
  return Readable.toWeb(readable);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}
