import { LlmError, type FailedAttempt } from './error.ts';
import type { ModelReply } from './model-reply.ts';

/** Remembers what the attempts of one call used that led to no reply. */
export interface AttemptLedger {
  /** After an attempt that is followed by another one. */
  note(error: unknown): void;
  /** The reply of the last attempt, with what the earlier ones used. */
  reply<T extends Pick<ModelReply, 'failedAttempts'>>(reply: T): T;
  /** The error of the last attempt, with what the earlier ones used; the same object when they used nothing. */
  failure(error: unknown): unknown;
}

/** A ledger of a call of which nothing was attempted yet. */
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
