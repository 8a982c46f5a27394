import { LlmError, type FailedAttempt } from './error.ts';
import type { ModelReply } from './model-reply.ts';

/** Collects the usage of the failed attempts of one call. */
export interface AttemptLedger {
  /** Records an attempt that is followed by another one. */
  note(error: unknown): void;
  /** Returns the reply of the last attempt with the usage of the earlier ones. */
  reply<T extends Pick<ModelReply, 'failedAttempts'>>(reply: T): T;
  /** Returns the error of the last attempt with the usage of the earlier ones; the same object without any. */
  failure(error: unknown): unknown;
}

/** Creates the ledger of one call. */
export function attemptLedger(): AttemptLedger {
  const noted: FailedAttempt[] = [];
  return {
    note(error) {
      if (error instanceof LlmError) noted.push(...error.failedAttempts);
    },
    reply: (reply) =>
      noted.length === 0 ? reply : { ...reply, failedAttempts: [...noted, ...(reply.failedAttempts ?? [])] },
    failure(error) {
      const isSpent = noted.length > 0 && error instanceof LlmError;
      return isSpent ? error.with({ failedAttempts: [...noted, ...error.failedAttempts] }) : error;
    },
  };
}
