import { exceededJsonLimit, parseJson } from '@varve/text';
import { httpPost, type HttpResponse } from './http-post.ts';
import { limitedText } from './limited-body.ts';
import { defaultReplyLimits, maxErrorBytes } from './reply-limits.ts';
import type { ServerErrors, StatusFailure } from './server-errors.ts';

/** Posts a body as JSON and resolves with the head of a 2xx response, its body unread. */
export type Post = (body: object, signal: AbortSignal) => Promise<HttpResponse>;

/** Address, headers and sender of the requests of one endpoint. */
export interface PostSettings {
  readonly url: string;
  /** All headers that are sent, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Encodes bodies for Node's HTTP client. */
  readonly encode: (body: object) => Uint8Array;
  /** Sends the requests instead of Node's HTTP client, bodies as text. */
  readonly fetch?: typeof globalThis.fetch;
  readonly errors: ServerErrors;
}

/** Posts to one address, without following redirects. Not retried: `retry` repeats a whole call. */
export function postTo({ url, headers, encode, fetch, errors }: PostSettings): Post {
  const send = async (body: object, signal: AbortSignal): Promise<HttpResponse> =>
    fetch
      ? fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal, redirect: 'manual' })
      : httpPost(url, { headers, body: encode(body), signal });
  return async (body, signal) => {
    let response: HttpResponse;
    try {
      response = await send(body, signal);
    } catch (error) {
      // The call reports its own end.
      if (signal.aborted) throw error;
      throw isTimeout(error) ? errors.fromTimeout(error) : errors.fromConnection(error);
    }
    if (response.ok) return response;
    throw errors.fromStatus(await failureOf(response));
  };
}

/** Operating systems and senders limit the time of a connection, too. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && (/timed? ?out/i.test(error.message) || isTimeout(error.cause));
}

/** A body that is too long is not cut, as a secret that is cut would not be found. */
async function failureOf(response: HttpResponse): Promise<StatusFailure> {
  const { status, headers } = response;
  // Without its body, an error still has its status.
  const text = await limitedText(response, maxErrorBytes).catch(() => '');
  if (text === undefined) return { status, headers, text: `a body of more than ${maxErrorBytes} bytes` };
  if (exceededJsonLimit(text, defaultReplyLimits)) {
    return { status, headers, text: 'a body with too many levels or values' };
  }
  return { status, headers, text, body: parseJson(text) };
}
