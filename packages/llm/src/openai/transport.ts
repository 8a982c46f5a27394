import type { Failures } from './failures.ts';

/** How requests reach the server. */
export interface TransportOptions<Body> {
  /** Below the root, with a slash. */
  readonly path: string;
  /** A body as JSON. */
  readonly textOf: (body: Body) => string;
  /** Without a trailing slash. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
  readonly failures: Failures;
}

/** Posts a request and resolves with the head of a 2xx answer, its body unread. */
export type Transport<Body> = (body: Body, signal: AbortSignal) => Promise<Response>;

/** The `openai` client, loaded with the first request because it takes a fifth of a second to load. */
export function transport<Body>(options: TransportOptions<Body>): Transport<Body> {
  let client: Promise<Transport<Body>> | undefined;
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
async function connect<Body>(options: TransportOptions<Body>): Promise<Transport<Body>> {
  const { root, path, textOf, headers, timeoutMs, fetch } = options;
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
  // The client sends a text as it is when it comes with a content type.
  const type = { 'content-type': 'application/json' };
  return (body, signal) => client.post(path, { body: textOf(body), headers: type, signal }).asResponse();
}
