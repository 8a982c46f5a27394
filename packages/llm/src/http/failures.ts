import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai/error';
import { LlmError, type LlmErrorCode, type PartialReply } from '../error.ts';
import { redactText, redactLine } from '../redact.ts';
import { errorCodeOf } from './code-of.ts';
import { parseErrorBody } from './error-body.ts';
import { limitReset } from './limit-reset.ts';
import { retryAfter } from './retry-after.ts';
import { waitInText } from './wait-in.ts';

/**
 * Turns what goes wrong at one address into errors whose messages name the address and hold no secret. What a server quotes of
 * its model's reply is their `partial`.
 */
export interface ServerErrors {
  /** Of what the client threw; an error that is not about the exchange is handed back as it is. */
  fromClient(error: unknown): unknown;
  /** Of an error that a 200 answer or a stream holds. */
  fromAnswer(body: unknown): LlmError;
  /** Of a body that broke off or could not be read. */
  fromBody(error: unknown): LlmError;
  create(code: LlmErrorCode, problem: string): LlmError;
  /** The beginning of what was sent, in quotes: a secret within it is hidden before it is cut, so that no part is left. */
  quote(text: string): string;
  /** A failure whose `partial`, which is as it came until then, holds no secret either. */
  redactPartial(error: LlmError): LlmError;
}

/** `secrets` are replaced wherever a provider repeats them. */
export function serverErrors(address: string, secrets: readonly string[]): ServerErrors {
  const of = (code: LlmErrorCode, problem: string, options: ErrorDetails = {}): LlmError =>
    new LlmError(code, `${address} ${redactLine(problem, secrets)}`, options);
  return {
    create: of,
    redactPartial(error) {
      const { partial } = error;
      return partial ? error.with({ partial: { ...partial, text: redactText(partial.text, secrets) } }) : error;
    },
    quote: (text) => `"${redactLine(text, secrets, 100)}"`,
    fromClient(error) {
      if (error instanceof APIConnectionTimeoutError) return of('timeout', 'did not answer in time.', rootOf(error));
      if (error instanceof APIConnectionError)
        return of('unavailable', `cannot be reached: ${reason(error)}.`, rootOf(error));
      if (error instanceof APIError && error.status !== undefined) return fromStatus(error, error.status, of);
      return error;
    },
    fromAnswer(body) {
      const { message, full, status, failedGeneration } = parseErrorBody(body);
      const code = errorCodeOf({ text: full, ...(status !== undefined && { status }) });
      const wait = code === 'rate-limited' ? waitInText(full) : undefined;
      return of(code, `reported an error: ${message}`, {
        ...(status !== undefined && { status }),
        ...(wait !== undefined && { retryAfterMs: wait }),
        ...partialOf(failedGeneration),
      });
    },
    fromBody: (error) =>
      codeName(rootCause(error)) === 'UND_ERR_BODY_TIMEOUT'
        ? of('timeout', 'fell silent in the middle of its answer.', rootOf(error))
        : of('unavailable', `broke off its answer: ${reason(error)}.`, rootOf(error)),
  };
}

interface ErrorDetails extends ErrorOptions {
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly partial?: PartialReply;
}

function partialOf(failedGeneration: string | undefined): Pick<ErrorDetails, 'partial'> {
  return failedGeneration === undefined ? {} : { partial: { text: failedGeneration, reasoning: '' } };
}

type Make = (code: LlmErrorCode, problem: string, details: ErrorDetails) => LlmError;

/** The client's error is no cause: it holds the provider's text unredacted. */
function fromStatus(error: InstanceType<typeof APIError>, status: number, make: Make): LlmError {
  const body = parseErrorBody(error.error ?? error.message.replace(/^\d{3} (?:status code \(no body\))?/, ''));
  const { message, full, failedGeneration } = body;
  const code = errorCodeOf({ status, text: full });
  const { headers = new Headers() } = error;
  // Limits are told with every answer; only after too many requests they say when the next one may come.
  const wait = retryAfter(headers) ?? (code === 'rate-limited' ? (waitInText(full) ?? limitReset(headers)) : undefined);
  const target = error.headers?.get('location');
  const said = status < 400 && target ? `a redirect to ${target}, which is not followed` : message;
  return make(code, `answered ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...partialOf(failedGeneration),
  });
}

/** Transport errors hold addresses and codes of the operating system, nothing secret. */
function rootOf(error: unknown): ErrorOptions {
  const root = rootCause(error);
  return root === error ? {} : { cause: root };
}

function rootCause(error: unknown): unknown {
  const inner = error instanceof Error ? (error.cause ?? undefined) : undefined;
  return inner === undefined ? error : rootCause(inner);
}

function reason(error: unknown): string {
  const root = rootCause(error);
  const all = root instanceof AggregateError ? root.errors : [root];
  return all.map((each) => (each instanceof Error ? each.message || codeName(each) : String(each))).join(', ');
}

function codeName(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
