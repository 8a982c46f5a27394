import type { Failures } from './failures.ts';
import type { WireRequest } from './wire-request.ts';
import { wireTexts } from './wire-text.ts';

/** How requests reach the server. */
export interface TransportOptions {
  /** Without a trailing slash. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly failures: Failures;
}

/** Posts a request and resolves with the head of a 2xx answer, its body unread. */
export type Transport = (body: WireRequest, signal: AbortSignal) => Promise<Response>;

type Post = (body: WireRequest, signal: AbortSignal) => Promise<Response>;

/** The `openai` client, loaded with the first request because it takes a fifth of a second to load. */
export function transport(options: TransportOptions): Transport {
  let client: Promise<Post> | undefined;
  return async (body, signal) => {
    client ??= connect(options);
    const post = await client;
    try {
      return await post(body, signal);
    } catch (error) {
      throw options.failures.fromClient(error);
    }
  };
}

/**
 * Everything that the client would take from the environment is given: addresses, organisation, log level, and headers,
 * which `OPENAI_CUSTOM_HEADERS` would add to requests to any provider. Redirects are not followed, because they would
 * carry the conversation to another host.
 */
async function connect({ root, headers, timeoutMs, fetch }: TransportOptions): Promise<Post> {
  const { OpenAI } = await import('openai');
  const client = new OpenAI({
    apiKey: 'in the headers',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: root,
    logLevel: 'off',
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: (url, init) => fetch(url, { ...init, headers, redirect: 'manual' }),
  });
  const textOf = wireTexts();
  // The client sends a text as it is when it comes with a content type.
  const type = { 'content-type': 'application/json' };
  return (body, signal) => client.post('/chat/completions', { body: textOf(body), headers: type, signal }).asResponse();
}
