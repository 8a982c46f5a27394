import { withoutUndefined } from '@varve/text';
import { LlmError, type LlmErrorCode, type LlmErrorOptions } from '../error.ts';
import { isUnresolvedHost } from '../is-unresolved-host.ts';
import { redactLine, redactText } from '../redact.ts';
import { parseErrorBody } from './error-body.ts';
import { errorCodeOf } from './error-code.ts';
import { limitReset, retryAfter, waitInText } from './retry-delay.ts';

/** A response with another status than 2xx. */
export interface StatusFailure {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** The parsed body or its `error`, when it is JSON. */
  readonly body?: unknown;
  /** Text of the body. */
  readonly text: string;
}

/**
 * Makes the errors of one server. Messages start with its address and contain no secret. A model's output that the
 * server quotes is the `partial` of the error.
 */
export interface ServerErrors {
  create(code: LlmErrorCode, problem: string): LlmError;
  /** Error of a reply with more of something than a limit allows. */
  overLimit(unit: string, limit: number): LlmError;
  /** Error of a connection that failed before the response. */
  fromConnection(error: unknown): LlmError;
  /** Error of a connection that had no response in time. */
  fromTimeout(error: unknown): LlmError;
  fromStatus(failure: StatusFailure): LlmError;
  /** Error of an error object in a 200 response or in a stream. */
  fromAnswer(body: unknown): LlmError;
  /** Error of a body that ended early or could not be read. */
  fromBody(error: unknown): LlmError;
  /** The start of a text, quoted. Secrets are redacted before it is cut, so that no part of one is left. */
  quote(text: string): string;
  /** The same error with the secrets in its `partial` redacted. */
  redactPartial(error: LlmError): LlmError;
}

/** Creates the errors of one address. `secrets` is called for each error, because a client may get its key late. */
export function serverErrors(address: string, secrets: () => readonly string[]): ServerErrors {
  const create = (code: LlmErrorCode, problem: string, details: LlmErrorOptions = {}): LlmError =>
    new LlmError(code, `${address} ${redactLine(problem, secrets())}`, details);
  return {
    create,
    overLimit: (unit, limit) => create('reply-limit', `sent more than the limit of ${limit} ${unit}.`),
    fromConnection: (error) => create('unavailable', `cannot be reached: ${reasonOf(error)}.`, causeOf(error)),
    fromTimeout: (error) => create('timeout', 'did not answer in time.', causeOf(error)),
    fromStatus: (failure) => fromStatus(failure, create),
    fromAnswer(body) {
      const { message, full, status, failedGeneration } = parseErrorBody(body);
      const code = errorCodeOf({ text: full, ...(status !== undefined && { status }) });
      const retryAfterMs = code === 'rate-limited' ? waitInText(full) : undefined;
      return create(code, `reported an error: ${message}`, {
        ...withoutUndefined({ status, retryAfterMs }),
        ...partialOf(failedGeneration),
      });
    },
    fromBody: (error) =>
      codeNameOf(rootCause(error)) === 'UND_ERR_BODY_TIMEOUT'
        ? create('timeout', 'sent no data in time, before the reply was complete.', causeOf(error))
        : create(
            'unavailable',
            `closed the connection before the reply was complete (${reasonOf(error)}).`,
            causeOf(error),
          ),
    quote: (text) => `"${redactLine(text, secrets(), 100)}"`,
    redactPartial(error) {
      const { partial } = error;
      if (!partial) return error;
      const [text, reasoning] = [partial.text, partial.reasoning].map((part) => redactText(part, secrets()));
      return error.with({ partial: { text: text ?? '', reasoning: reasoning ?? '' } });
    },
  };
}

type CreateError = (code: LlmErrorCode, problem: string, details: LlmErrorOptions) => LlmError;

/** The client's error is not the `cause`: it contains the provider's text unredacted. */
function fromStatus({ status, headers, body, text }: StatusFailure, create: CreateError): LlmError {
  const { message, full, failedGeneration } = parseErrorBody(body ?? text);
  const code = errorCodeOf({ status, text: full });
  // Every response contains rate limits; only after too many requests do they state when the next one may be sent.
  const limitMs = code === 'rate-limited' ? (waitInText(full) ?? limitReset(headers)) : undefined;
  const retryAfterMs = retryAfter(headers) ?? limitMs;
  const target = headers.get('location');
  const problem = status < 400 && target ? `a redirect to ${target}, which is not followed` : message;
  return create(code, `answered ${status}${problem === '' ? '' : `: ${problem}`}`, {
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...partialOf(failedGeneration),
  });
}

function partialOf(failedGeneration: string | undefined): Pick<LlmErrorOptions, 'partial'> {
  return failedGeneration === undefined ? {} : { partial: { text: failedGeneration, reasoning: '' } };
}

/** Connection errors contain addresses and codes of the operating system, no secrets. */
function causeOf(error: unknown): ErrorOptions {
  const root = rootCause(error);
  return root instanceof Error ? { cause: root } : {};
}

function rootCause(error: unknown): unknown {
  const inner = error instanceof Error ? (error.cause ?? undefined) : undefined;
  return inner === undefined ? error : rootCause(inner);
}

function reasonOf(error: unknown): string {
  const root = rootCause(error);
  const all = root instanceof AggregateError ? root.errors : [root];
  return all.map((each) => (each instanceof Error ? problemOf(each) : String(each))).join(', ');
}

function problemOf(error: Error): string {
  if (!isUnresolvedHost(error)) return error.message || codeNameOf(error);
  const host = 'hostname' in error ? ` "${String(error.hostname)}"` : '';
  return `the host${host} was not found (${error.message || codeNameOf(error)})`;
}

function codeNameOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
