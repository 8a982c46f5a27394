import { secretsInHeaders } from './headers.ts';
import type { Post } from './post.ts';
import type { ServerErrors } from './server-errors.ts';

/** Client of the package `openai`, as far as requests are sent with it: `OpenAI`, `AzureOpenAI` and the like. */
export interface OpenAiClient {
  readonly baseURL: string;
  post(
    path: string,
    options: {
      readonly body: object;
      readonly signal: AbortSignal;
      readonly maxRetries: number;
      readonly fetchOptions: { readonly redirect: 'manual' };
    },
  ): { asResponse(): Promise<Response> };
  buildRequest(options: {
    readonly method: 'post';
    readonly path: string;
  }): Promise<{ readonly req: { readonly headers: Headers } }>;
}

/**
 * Posts to one path of the server of a configured client, without following redirects. Its retries are off: `retry`
 * repeats a whole call. `onSecrets` receives the credentials that the client sends, before the first request.
 */
export function postWithClient(
  path: string,
  {
    client,
    errors,
    onSecrets,
  }: { client: OpenAiClient; errors: ServerErrors; onSecrets: (secrets: readonly string[]) => void },
): Post {
  let prepared: Promise<void> | undefined;
  return async (body, signal) => {
    await (prepared ??= clientSecrets(client, path).then(onSecrets));
    try {
      return await client
        .post(path, { body, signal, maxRetries: 0, fetchOptions: { redirect: 'manual' } })
        .asResponse();
    } catch (error) {
      throw serverErrorOf(error, client, errors);
    }
  };
}

/** Returns errors that are not about the exchange unchanged. */
function serverErrorOf(error: unknown, client: OpenAiClient, errors: ServerErrors): unknown {
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
  // The client writes the body of an error again, whatever its depth.
  if (error instanceof RangeError) return errors.create('malformed-reply', 'answered with JSON of too many levels.');
  // Thrown for credentials that a callback or an identity provider could not supply.
  return error instanceof OpenAIError
    ? errors.create('unauthenticated', `was not called, because its credentials are missing: ${error.message}`)
    : error;
}

/** Error of an exchange. */
interface ApiError extends Error {
  readonly status?: number;
  readonly headers?: Headers;
  /** Body of the response. */
  readonly error?: unknown;
}

type ErrorClass<Thrown extends Error> = abstract new (...input: never) => Thrown;

interface ErrorClasses {
  readonly OpenAIError: ErrorClass<Error>;
  readonly APIError: ErrorClass<ApiError>;
  readonly APIConnectionError: ErrorClass<ApiError>;
  readonly APIConnectionTimeoutError: ErrorClass<ApiError>;
}

/** The class of a client has the error classes of its own copy of the package. */
function classOf(client: OpenAiClient): ErrorClasses {
  return client.constructor as unknown as ErrorClasses;
}

/**
 * Returns the credentials that a client sends, to be redacted in errors; none when it cannot supply them, which its
 * first request reports. A token that changes later is redacted by its shape only.
 */
async function clientSecrets(client: OpenAiClient, path: string): Promise<readonly string[]> {
  try {
    const { req } = await client.buildRequest({ method: 'post', path });
    return secretsInHeaders(new Headers(req.headers));
  } catch {
    return [];
  }
}
