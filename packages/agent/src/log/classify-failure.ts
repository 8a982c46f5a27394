import { classifyError, type ErrorClassification } from '@varve/events/kinds';
import type { LlmErrorCode } from '@varve/llm';

const authentication: ErrorClassification = { kind: 'auth', retryable: false, user_action: 'settings' };
const quota: ErrorClassification = { kind: 'quota', retryable: false, user_action: 'settings' };
const configuration: ErrorClassification = { kind: 'config', retryable: false, user_action: 'settings' };
const rateLimit: ErrorClassification = { kind: 'rate_limit', retryable: true, user_action: 'retry' };
const transient: ErrorClassification = { kind: 'transient', retryable: true, user_action: 'retry' };
const recoverable: ErrorClassification = { kind: 'agent_action', retryable: true, user_action: 'retry' };
const final: ErrorClassification = { kind: 'agent_action', retryable: false, user_action: 'none' };

/** Codes of models, and those of limits that the reference does not have. */
const byCode: Readonly<
  Record<LlmErrorCode | 'MaxTokensReached' | 'MaxCallsReached' | 'MaxTimeReached', ErrorClassification>
> = {
  'rate-limited': rateLimit,
  unavailable: transient,
  timeout: transient,
  'malformed-reply': transient,
  'reply-limit': recoverable,
  empty: transient,
  truncated: recoverable,
  'context-overflow': recoverable,
  'malformed-history': recoverable,
  unauthenticated: authentication,
  quota,
  refused: final,
  'unknown-model': configuration,
  unsupported: configuration,
  'bad-request': configuration,
  aborted: recoverable,
  'script-mismatch': final,
  MaxTokensReached: final,
  MaxCallsReached: final,
  MaxTimeReached: final,
};

/** Returns the classification of a failure that ends a run. @see software-agent-sdk classify_error */
export function classifyFailure(code: string, detail: string): ErrorClassification {
  return Object.hasOwn(byCode, code) ? byCode[code as keyof typeof byCode] : classifyError(code, detail);
}
