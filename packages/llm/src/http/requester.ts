import { LlmError } from '../error.ts';
import { isLoopback } from '@varve/text';
import { apiRoot, clientRoot } from './api-root.ts';
import type { CallControlOptions } from './call-control.ts';
import { requestHeaders, secretsInHeaders } from './headers.ts';
import { postWithClient, type OpenAiClient } from './openai-client.ts';
import { postTo, type Post } from './post.ts';
import { jsonEncoder } from './request-json.ts';
import { defaultReplyLimits, type ReplyLimits } from './reply-limits.ts';
import { serverErrors, type ServerErrors } from './server-errors.ts';

/** Model, server, credentials and time limits. */
export interface ServerOptions {
  /** Name of the model at its provider. */
  readonly model: string;
  /** May be missing for servers that need none. Sent in the request's header only. */
  readonly apiKey?: string;
  /** Address that the protocol's path is appended to; OpenAI's own when absent. `/v1` is added to a bare host. */
  readonly baseUrl?: string;
  /** Sent with every request; they replace this adapter's headers with the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum duration of one call. 15 minutes when absent. */
  readonly timeoutMs?: number;
  /**
   * Maximum time between two parts of a stream. 2 minutes when absent, 5 for servers on this machine, which load models
   * first.
   */
  readonly idleTimeoutMs?: number;
  /** Limits of a response that differ from the defaults. */
  readonly limits?: Partial<ReplyLimits>;
  /**
   * Sends the requests instead of Node's HTTP client, bodies as text: for client certificates, other proxies and tests.
   */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * A client of the `openai` package to send the requests with, as it is configured: address, credentials, headers,
   * query, time limits and `fetch` are its own. For Azure (`AzureOpenAI`), proxies and workload identity. Its retries
   * are turned off; wrap the model in `retry`. It reads the bodies of errors, whatever their length. Cannot be combined
   * with `apiKey`, `baseUrl`, `headers` or `fetch`.
   */
  readonly client?: OpenAiClient;
}

/** One endpoint of a server. */
export interface Requester {
  /** The address without the path. */
  readonly root: string;
  readonly timeouts: Omit<CallControlOptions, 'signal'>;
  readonly limits: ReplyLimits;
  readonly errors: ServerErrors;
  readonly post: Post;
}

const openAiRoot = 'https://api.openai.com/v1';

/** Node fires timers above 2^31 ms immediately; three weeks count as "never". */
const maxTimerMs = 2_000_000_000;

/** Path of a protocol, and the field of its bodies that contains the conversation. */
export interface Endpoint {
  /** Appended to the server's address, with a leading slash. */
  readonly path: string;
  readonly list: string;
}

/**
 * Creates a requester for one endpoint of a server.
 *
 * @throws {LlmError} `bad-request` for an invalid address or header, or for options that cannot be combined;
 * `unauthenticated` for a key that no header can contain.
 */
export function requester(options: ServerOptions, { path, list }: Endpoint): Requester {
  const { model, client, fetch } = options;
  if (client) checkExclusive(options);
  const root = client ? clientRoot(client.baseURL) : apiRoot(options.baseUrl ?? openAiRoot);
  const timeoutMs = Math.min(options.timeoutMs ?? 900_000, maxTimerMs);
  const idleTimeoutMs = Math.min(options.idleTimeoutMs ?? (isLoopback(root) ? 300_000 : 120_000), maxTimerMs);
  const address = `${model} at ${root}`;
  const headers = requestHeaders(options);
  let secrets = secretsInHeaders(Object.entries(headers));
  const errors = serverErrors(address, () => secrets);
  const post = client
    ? postWithClient(path, { client, errors, onSecrets: (values) => (secrets = values) })
    : postTo({ url: root + path, headers, encode: jsonEncoder(list), errors, ...(fetch && { fetch }) });
  return {
    root,
    timeouts: { timeoutMs, idleTimeoutMs, address },
    limits: { ...defaultReplyLimits, ...options.limits },
    errors,
    post,
  };
}

const exclusive = ['apiKey', 'baseUrl', 'headers', 'fetch'] as const;

function checkExclusive(options: ServerOptions): void {
  const name = exclusive.find((each) => options[each] !== undefined);
  if (name) throw new LlmError('bad-request', `The option "${name}" cannot be combined with "client".`);
}
