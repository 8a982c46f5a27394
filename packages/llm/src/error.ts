import type { TokenUsage } from '@varve/events';
import { CodedError, withoutUndefined } from '@varve/text';

/** Failure codes of a model call. `true`: the same request may be sent again. */
const retryable = {
  /** Too many requests; `retryAfterMs` when the provider sent a wait. */
  'rate-limited': true,
  /** Connection refused or lost, 5xx, a stream that broke off. */
  unavailable: true,
  /** No answer, or no further piece of one, in time. */
  timeout: true,
  /** An answer that is not of the protocol: HTML, broken JSON, no choices. */
  'malformed-reply': true,
  /** A reply that exceeds one of the `limits` of the model. */
  'reply-limit': false,
  /** A reply with neither text nor calls nor reasoning. */
  empty: true,
  /** The output limit cut the reply before anything usable. */
  truncated: false,
  /** The request is longer than the model's window. */
  'context-overflow': false,
  /** The provider rejects the structure of the history. */
  'malformed-history': false,
  /** Key missing, wrong, or not allowed. */
  unauthenticated: false,
  /** Out of credit or over a billing limit. */
  quota: false,
  /** The provider's content policy. */
  refused: false,
  /** The provider does not know the model. */
  'unknown-model': false,
  /** The provider does not support a requested feature, such as tools. */
  unsupported: false,
  'bad-request': false,
  aborted: false,
  /** A scripted model received a request that its script does not expect. */
  'script-mismatch': false,
} as const;

export type LlmErrorCode = keyof typeof retryable;

/** All codes. */
export const llmErrorCodes = Object.keys(retryable) as readonly LlmErrorCode[];

/** Returns the error of a call whose signal has aborted. */
export function abortError(signal: AbortSignal | undefined): LlmError {
  return new LlmError('aborted', 'The model call was aborted.', { cause: signal?.reason });
}

/** @throws {LlmError} `aborted` if the signal has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Details of a failure in addition to its code. */
export interface LlmErrorOptions extends ErrorOptions {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** Wait requested by the provider. */
  readonly retryAfterMs?: number;
  /** Reply received before the call failed. */
  readonly partial?: PartialReply;
  /** Attempts of the call that reported usage or cost; empty by default. */
  readonly failedAttempts?: readonly FailedAttempt[];
}

/** Beginning of a reply that was never completed: for people to read, not to act on. */
export interface PartialReply {
  readonly text: string;
  readonly reasoning: string;
}

/** Usage of an attempt that produced no reply, as far as the provider reported it. */
export interface FailedAttempt {
  /** Name of the requested model. */
  readonly model: string;
  readonly code: LlmErrorCode;
  readonly usage?: TokenUsage;
  /** US dollars; absent when unknown. */
  readonly costUsd?: number;
}

/** The error class of this package. Messages contain no key: text of providers in them is redacted and truncated. */
export class LlmError extends CodedError<LlmErrorCode> {
  override readonly name = 'LlmError';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly partial: PartialReply | undefined;
  readonly failedAttempts: readonly FailedAttempt[];

  constructor(code: LlmErrorCode, message: string, options: LlmErrorOptions = {}) {
    const { status, retryAfterMs, partial, failedAttempts = [], ...rest } = options;
    super(code, message, rest);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.partial = partial;
    this.failedAttempts = failedAttempts;
  }

  /** The message with a sign at its end: that of a server may have none. */
  get sentence(): string {
    return /[.!?…]$/.test(this.message) ? this.message : `${this.message}.`;
  }

  /** Returns the same failure with further details. */
  with({
    message = this.message,
    ...more
  }: Pick<LlmErrorOptions, 'partial' | 'failedAttempts'> & { readonly message?: string }): LlmError {
    const { status, retryAfterMs, partial, failedAttempts, cause } = this;
    return new LlmError(this.code, message, {
      ...withoutUndefined({ status, retryAfterMs, partial, cause }),
      failedAttempts,
      ...more,
    });
  }

  /** True when the same request may be sent again. */
  get isRetryable(): boolean {
    return retryable[this.code];
  }
}
