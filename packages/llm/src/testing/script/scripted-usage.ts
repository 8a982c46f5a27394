import type { TokenUsage } from '@varve/events';

/** Completes the usage of a script; absent counts are 0. */
export function scriptedUsage(usage: Partial<TokenUsage>): TokenUsage {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    ...usage,
  };
}
