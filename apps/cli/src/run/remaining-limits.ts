import type { ConversationState, RunOptions as AgentRunOptions } from '@varve/agent';
import type { RunOptions } from './run-options.ts';

type Spent = Pick<ConversationState, 'stats' | 'activeMs'>;

/** Smallest amounts that a run accepts: it ends with the limit after what is open. */
const least = { usd: 1e-9, tokens: 1, ms: 1 } as const;

/** Returns the limits of the options for the next run of a command, whose earlier runs began in the state `before`. */
export function remainingLimits(
  { maxCost, maxTokens, timeout }: Pick<RunOptions, 'maxCost' | 'maxTokens' | 'timeout'>,
  before: Spent,
  now: Spent,
): Pick<AgentRunOptions, 'maxCostUsd' | 'maxTokens' | 'maxMs'> {
  const used = (state: Spent): number => state.stats.total.input_tokens + state.stats.total.output_tokens;
  const cost = (state: Spent): number => state.stats.total.cost_usd ?? 0;
  const ms = now.activeMs - before.activeMs;
  return {
    ...(maxCost !== undefined && { maxCostUsd: Math.max(least.usd, maxCost - (cost(now) - cost(before))) }),
    ...(maxTokens !== undefined && { maxTokens: Math.max(least.tokens, maxTokens - (used(now) - used(before))) }),
    ...(timeout !== undefined && { maxMs: Math.max(least.ms, Math.round(timeout * 1000 - ms)) }),
  };
}
