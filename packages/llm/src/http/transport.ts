import type { ServerErrors } from './failures.ts';
import type { Post } from './http-post.ts';
import { bodyEnd } from './wire-bytes.ts';

/** Sends one request and resolves with the head of its answer, whatever its status; follows no redirect. */
export type Send = (url: string, post: Post) => Promise<Response>;

/** How requests reach the server. */
export interface TransportOptions<Body> {
  /** Below the root, with a slash. */
  readonly path: string;
  /** A body as JSON, up to {@link bodyEnd}. */
  readonly bytesOf: (body: Body) => Uint8Array;
  /** Without a trailing slash. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly send: Send;
  readonly failures: ServerErrors;
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
 * which `OPENAI_CUSTOM_HEADERS` would add to requests to any provider.
 */
async function connect<Body>(options: TransportOptions<Body>): Promise<Transport<Body>> {
  const { root, path, bytesOf, headers, timeoutMs, send } = options;
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
    fetch: (_url, init) => send(`${root}${path}`, { headers, ...sent(init) }),
  });
  return (body, signal) => client.post(path, { body: bytesOf(body), signal }).asResponse();
}

/** The client sends bytes as they are, and always sets a signal. */
function sent({ body, signal }: RequestInit = {}): Pick<Post, 'body' | 'signal'> {
  if (!(body instanceof Uint8Array) || !signal) throw new TypeError('The client changed what it was told to send.');
  return { body: [body, bodyEnd], signal };
}
