import { LlmError, type PartialReply } from '../error.ts';
import type { UsageAndCost } from './usage-of.ts';

/** What came of an answer so far. */
export interface PartialOutcome extends PartialReply, UsageAndCost {}

/** An error with what had come when it happened, unless it tells that itself; anything else, and a failure before the first word, as it is. */
export function attachPartial(error: unknown, { text, reasoning, ...spent }: PartialOutcome, model: string): unknown {
  if (!(error instanceof LlmError)) return error;
  const hasSpent = spent.usage !== undefined || spent.costUsd !== undefined;
  if (!hasSpent && text === '' && reasoning === '') return error;
  return error.with({
    ...((text !== '' || reasoning !== '') && { partial: error.partial ?? { text, reasoning } }),
    ...(hasSpent && { failedAttempts: [...error.failedAttempts, { model, code: error.code, ...spent }] }),
  });
}
