import type { Usage } from '@varve/events/projections';
import type { ConversationFold } from './conversation-folds.ts';

/** Returns the usage that a conversation shows, by usage id: its own, and that of the origin if a fork keeps it. */
export function shownUsage({
  stats,
  reported,
}: Pick<ConversationFold, 'stats' | 'reported'>): Readonly<Record<string, Usage>> {
  const shown: Record<string, Usage> = { ...stats.byUsageId };
  for (const [id, usage] of Object.entries(reported.configuration?.inherited_usage ?? {})) {
    const own = shown[id];
    shown[id] = own ? sumOf(own, usage) : usage;
  }
  return shown;
}

function sumOf(one: Usage, other: Usage): Usage {
  const cost = (one.cost_usd ?? 0) + (other.cost_usd ?? 0);
  return {
    calls: one.calls + other.calls,
    unpriced_calls: one.unpriced_calls + other.unpriced_calls,
    latency_ms: one.latency_ms + other.latency_ms,
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
    cache_write_tokens: one.cache_write_tokens + other.cache_write_tokens,
    reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
    ...((one.cost_usd !== undefined || other.cost_usd !== undefined) && { cost_usd: cost }),
  };
}
