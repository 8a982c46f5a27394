import type { OpenAI } from 'openai';
import { secretsInHeaders } from './headers.ts';
import { httpFetch } from './http-fetch.ts';
import { withLimitedError } from './limited-body.ts';
import type { ServerErrors } from './server-errors.ts';

/** Address, credentials and sender of a client. */
export interface ClientSettings {
  /** Without a trailing slash. */
  readonly root: string;
  readonly apiKey: string;
  /** All headers that are sent, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** {@link httpFetch} when absent. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Creates a client of the `openai` package, which is loaded here: loading takes a fifth of a second. Nothing is read
 * from the environment: every option that has a variable as its default is set, and headers of `OPENAI_CUSTOM_HEADERS`
 * are dropped before sending, together with those that describe the client.
 */
export async function createClient(settings: ClientSettings): Promise<OpenAI> {
  const { root, apiKey, headers, timeoutMs, fetch = httpFetch } = settings;
  const { OpenAI: Client } = await import('openai');
  const names = Object.keys(headers);
  return new Client({
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: root,
    // With the key, which a header from the environment would replace otherwise.
    defaultHeaders: headers,
    logLevel: 'off',
    timeout: timeoutMs,
    // The client reads the bodies of errors, without a limit of its own.
    fetch: async (url, init) =>
      withLimitedError(await fetch(url, { ...init, headers: pickHeaders(init?.headers, names) })),
  });
}

function pickHeaders(headers: RequestInit['headers'], names: readonly string[]): Record<string, string> {
  const all = headers instanceof Headers ? headers : new Headers(headers);
  return Object.fromEntries(names.map((name) => [name, all.get(name) ?? '']));
}

/** Posts a body as JSON and resolves with the head of a 2xx response, its body unread. */
export type Post = (body: object, signal: AbortSignal) => Promise<Response>;

/** Client and errors of one endpoint. */
export interface PostOptions {
  /** Called with the first request. */
  readonly connect: () => Promise<OpenAI>;
  /** Encodes bodies, for a `fetch` that takes bytes; when absent, the client encodes them as text. */
  readonly encode?: ((body: object) => Uint8Array) | undefined;
  readonly errors: ServerErrors;
}

/** Posts to one path of a client's server, without following redirects. Not retried: `retry` repeats a whole call. */
export function postTo(path: string, { connect, encode, errors }: PostOptions): Post {
  let connected: Promise<OpenAI> | undefined;
  return async (body, signal) => {
    connected ??= connect();
    const client = await connected;
    const request = {
      body: encode?.(body) ?? body,
      signal,
      maxRetries: 0,
      fetchOptions: { redirect: 'manual' },
    } as const;
    try {
      return await client.post(path, request).asResponse();
    } catch (error) {
      throw serverErrorOf(error, client, errors);
    }
  };
}

/** Returns errors that are not about the exchange unchanged. */
function serverErrorOf(error: unknown, client: OpenAI, errors: ServerErrors): unknown {
  const { APIConnectionError, APIConnectionTimeoutError, APIError, OpenAIError } = classOf(client);
  if (error instanceof APIConnectionTimeoutError) return errors.fromTimeout(error);
  if (error instanceof APIConnectionError) return errors.fromConnection(error);
  if (error instanceof APIError) {
    const { status, headers = new Headers(), error: body, message } = error;
    if (status === undefined) return error;
    return errors.fromStatus({
      status,
      headers,
      body,
      text: message.replace(/^\d{3} (?:status code \(no body\))?/, ''),
    });
  }
  // The client of a caller writes the body of an error again, whatever its depth.
  if (error instanceof RangeError) return errors.create('malformed-reply', 'answered with JSON of too many levels.');
  // Thrown for credentials that a callback or an identity provider could not supply.
  return error instanceof OpenAIError
    ? errors.create('unauthenticated', `was not called, because its credentials are missing: ${error.message}`)
    : error;
}

/** The class of a client has the error classes of its own copy of the package. */
function classOf(client: OpenAI): typeof OpenAI {
  return client.constructor as typeof OpenAI;
}

/**
 * Returns the credentials that a client sends, to be redacted in errors; none when it cannot supply them, which its
 * first request reports. A token that changes later is redacted by its shape only.
 */
export async function clientSecrets(client: OpenAI, path: string): Promise<readonly string[]> {
  try {
    const { req } = await client.buildRequest({ method: 'post', path });
    return secretsInHeaders(new Headers(req.headers));
  } catch {
    return [];
  }
}
