import { httpPost } from './http-post.ts';

/**
 * A `fetch` over {@link httpPost}, for the POST requests of models. Anything but a POST of text or bytes with a signal
 * and manual redirects goes to the global `fetch`.
 *
 * @throws the error of the connection.
 */
export const httpFetch: typeof globalThis.fetch = async (input, init = {}) => {
  const { method, body, signal, redirect, headers } = init;
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (method !== 'POST' || !isPlain || !signal || redirect !== 'manual' || input instanceof Request) {
    return globalThis.fetch(input, init);
  }
  const sent = Object.fromEntries(new Headers(headers));
  const response = await httpPost(String(input), { headers: sent, body, signal });
  return new Response(response.body, { status: response.status, headers: headersOf(response.rawHeaders) });
};

function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}
