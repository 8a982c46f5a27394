import type { Usage } from '@varve/events/projections';
import type { Budget } from './agent.ts';
import type { Limits } from './limits.ts';

/** A limit that was reached: the reason a run ends with, and what the log says of it. */
export interface ReachedLimit {
  readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls';
  readonly code: string;
  readonly detail: string;
}

/** What is used up so far, of the run and of the whole conversation. */
export interface Used {
  readonly iterations: number;
  readonly before: Usage;
  readonly now: Usage;
}

/** The first limit that is reached, of the run or of the conversation. */
export function reachedLimit(run: Limits, budget: Budget, { iterations, before, now }: Used): ReachedLimit | undefined {
  // Sums of cents are not exact: what is off by less than a nanodollar is not off.
  const cost = Number((now.cost_usd - before.cost_usd).toFixed(9));
  const tokens = tokensOf(now) - tokensOf(before);
  return (
    reached('max-iterations', 'The run', iterations, run.maxIterations) ??
    reached('max-cost', 'The run', cost, run.maxCostUsd) ??
    reached('max-tokens', 'The run', tokens, run.maxTokens) ??
    reached('max-cost', 'The conversation', Number(now.cost_usd.toFixed(9)), budget.maxCostUsd) ??
    reached('max-tokens', 'The conversation', tokensOf(now), budget.maxTokens) ??
    reached('max-calls', 'The conversation', now.calls, budget.maxCalls)
  );
}

/** @see software-agent-sdk MaxIterationsReached, MaxBudgetReached: the codes of its error events */
const kinds = {
  'max-iterations': { code: 'MaxIterationsReached', tell: (count: number) => `took ${count} steps` },
  'max-cost': { code: 'MaxBudgetReached', tell: (count: number) => `cost $${Number(count.toFixed(4))}` },
  'max-tokens': { code: 'MaxTokensReached', tell: (count: number) => `used ${count} tokens` },
  'max-calls': { code: 'MaxCallsReached', tell: (count: number) => `asked its model ${count} times` },
} as const;

function reached(
  reason: ReachedLimit['reason'],
  whose: string,
  count: number,
  limit: number | undefined,
): ReachedLimit | undefined {
  if (limit === undefined || count < limit) return undefined;
  const { code, tell } = kinds[reason];
  return { reason, code, detail: `${whose} ${tell(count)}, and its limit is ${limit}.` };
}

function tokensOf({ input_tokens, output_tokens }: Usage): number {
  return input_tokens + output_tokens;
}
