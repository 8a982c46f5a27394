import type { Send } from './transport.ts';

/** Posts over a `fetch`, which gets the body as text. Redirects are not followed: they would carry the conversation to another host. */
export function fetchPost(fetch: typeof globalThis.fetch): Send {
  return (url, { headers, body, signal }) =>
    fetch(url, { method: 'POST', headers, body: Buffer.concat(body).toString(), signal, redirect: 'manual' });
}
