import { httpPost } from './http-post.ts';

/**
 * A `fetch` that sends what adapters give it as they would send it themselves, without the time limits of `fetch`; anything but
 * the posting of a text, with a signal and without following redirects, goes over the global one.
 */
export const httpFetch: typeof globalThis.fetch = async (input, init = {}) => {
  const { method, body, signal, redirect, headers } = init;
  if (method !== 'POST' || typeof body !== 'string' || !signal || redirect !== 'manual' || input instanceof Request) {
    return globalThis.fetch(input, init);
  }
  const named = Object.fromEntries(new Headers(headers));
  return httpPost(String(input), { headers: named, body: [Buffer.from(body)], signal });
};
