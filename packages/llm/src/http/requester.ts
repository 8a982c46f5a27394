import { validateHeaderName, validateHeaderValue } from 'node:http';
import { LlmError } from '../error.ts';
import { isLoopback } from '../is-loopback.ts';
import { apiRoot } from './api-root.ts';
import type { CallControlOptions } from './call-watch.ts';
import { serverErrors, type ServerErrors } from './failures.ts';
import { fetchPost } from './fetch-post.ts';
import { httpPost } from './http-post.ts';
import { secretsInHeaders } from './secrets-in-headers.ts';
import { transport, type Transport } from './transport.ts';

/** Which model of which server is asked, with which key, and for how long. */
export interface ServerOptions {
  /** The name that the provider knows. */
  readonly model: string;
  /** May be missing for servers that want none. Goes nowhere but into the request's header. */
  readonly apiKey?: string;
  /** What the protocol's path is appended to; OpenAI's own service when absent. `/v1` is added to a bare host. */
  readonly baseUrl?: string;
  /** Sent with every request; they win over the headers of this adapter. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest duration of one call. 15 minutes when absent. */
  readonly timeoutMs?: number;
  /** Longest silence within a stream. 2 minutes when absent, 5 for servers on this machine, which load models first. */
  readonly idleTimeoutMs?: number;
  /** Sends the requests instead of Node's HTTP client, bodies as text: for client certificates, proxies of other kinds and tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** One endpoint of a server, ready to be asked. */
export interface Requester<Body> {
  /** The address without the path. */
  readonly root: string;
  readonly timeouts: Omit<CallControlOptions, 'signal'>;
  readonly errors: ServerErrors;
  readonly post: Transport<Body>;
}

const openAi = 'https://api.openai.com/v1';

/** Node fires timers beyond 2^31 ms at once; three weeks stand for "never". */
const longestTimerMs = 2_000_000_000;

/**
 * An endpoint of a server, by the options of its model.
 *
 * @throws {LlmError} `bad-request` for an address or a header that is none, `unauthenticated` for a key that no header can carry.
 */
export function requester<Body>(
  options: ServerOptions,
  endpoint: { readonly path: string; readonly bytesOf: (body: Body) => Uint8Array },
): Requester<Body> {
  const root = apiRoot(options.baseUrl ?? openAi);
  const timeoutMs = Math.min(options.timeoutMs ?? 900_000, longestTimerMs);
  const idleTimeoutMs = Math.min(options.idleTimeoutMs ?? (isLoopback(root) ? 300_000 : 120_000), longestTimerMs);
  const headers = requestHeaders(options);
  const address = `${options.model} at ${root}`;
  const described = serverErrors(address, secretsInHeaders(Object.entries(headers)));
  return {
    root,
    timeouts: { timeoutMs, idleTimeoutMs, address },
    errors: described,
    // The client's own time limit must not come before the one that names the address.
    post: transport({
      ...endpoint,
      root,
      headers,
      timeoutMs: timeoutMs + 60_000,
      send: options.fetch ? fetchPost(options.fetch) : httpPost,
      failures: described,
    }),
  };
}

/** Servers that want no key still want some. */
function requestHeaders({ apiKey = '', headers }: ServerOptions): Readonly<Record<string, string>> {
  const key = apiKey.trim() || 'none';
  if (!/^[\x21-\x7E]+$/.test(key)) {
    throw new LlmError('unauthenticated', 'The API key holds a character that no HTTP header can carry.');
  }
  const merged = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'varve',
    authorization: `Bearer ${key}`,
  });
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!canBeSent(name, value)) {
      // The value may be a secret.
      throw new LlmError(
        'bad-request',
        `The header ${JSON.stringify(name)} holds a character that HTTP does not carry.`,
      );
    }
    merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function canBeSent(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value.trim());
    return true;
  } catch {
    return false;
  }
}
