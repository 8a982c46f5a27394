import type { TokenUsage } from '@varve/events';
import type { LlmErrorCode } from './error.ts';

/** What an attempt used that led to no reply, as far as the provider told. */
export interface FailedAttempt {
  /** The model that was asked. */
  readonly model: string;
  readonly code: LlmErrorCode;
  readonly usage?: TokenUsage;
  /** US dollars; absent when unknown. */
  readonly costUsd?: number;
}
