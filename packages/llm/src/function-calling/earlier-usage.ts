import { LlmError } from '../error.ts';
import type { ModelReply } from '../model-reply.ts';

/**
 * Adds the usage and cost of an earlier reply to the reply of the repeated request. A sum with an unknown part is
 * unknown.
 */
export function withEarlierUsage(earlier: ModelReply, later: ModelReply): ModelReply {
  const { usage, costUsd, ...rest } = later;
  const failedAttempts = [earlier, later].flatMap((reply) => reply.failedAttempts ?? []);
  const isPriced = earlier.costUsd !== undefined && costUsd !== undefined;
  return {
    ...rest,
    attempts: earlier.attempts + later.attempts,
    ...(failedAttempts.length > 0 && { failedAttempts }),
    ...(earlier.usage && usage && { usage: sum(earlier.usage, usage) }),
    ...(isPriced && { costUsd: earlier.costUsd + costUsd }),
  };
}

type Usage = NonNullable<ModelReply['usage']>;

function sum(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}

/** Adds the usage of an earlier reply, which no caller receives, to the error of the repeated request. */
export function errorWithEarlierUsage(
  { model, usage, costUsd, failedAttempts = [] }: ModelReply,
  error: unknown,
): unknown {
  if (!(error instanceof LlmError)) return error;
  const spent = { ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) };
  const attempts = usage || costUsd !== undefined ? [{ model, code: error.code, ...spent }] : [];
  return error.with({ failedAttempts: [...failedAttempts, ...attempts, ...error.failedAttempts] });
}
