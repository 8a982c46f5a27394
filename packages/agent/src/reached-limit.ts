import type { Usage } from '@varve/events/projections';
import type { Budget } from './agent.ts';
import type { Limits } from './limits.ts';

/** A limit that was reached: the reason a run ends with, and what the log says of it. */
export interface ReachedLimit {
  readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls' | 'max-time';
  readonly code: string;
  readonly detail: string;
}

/** What is used up so far, of the run and of the whole conversation. */
export interface Used {
  readonly iterations: number;
  readonly before: Usage;
  readonly now: Usage;
  /** Milliseconds of this run, and of all runs together. */
  readonly runMs: number;
  readonly activeMs: number;
}

/** The first limit that is reached, of the run or of the conversation. */
export function reachedLimit(
  run: Limits & { readonly maxMs?: number },
  budget: Budget,
  { iterations, before, now, runMs, activeMs }: Used,
): ReachedLimit | undefined {
  // Sums of cents are not exact: what is off by less than a nanodollar is not off.
  const cost = Number((now.cost_usd - before.cost_usd).toFixed(9));
  const tokens = tokensOf(now) - tokensOf(before);
  return (
    reached('max-iterations', 'The run', iterations, run.maxIterations) ??
    reached('max-cost', 'The run', cost, run.maxCostUsd) ??
    reached('max-tokens', 'The run', tokens, run.maxTokens) ??
    reached('max-time', 'The run', runMs, run.maxMs) ??
    reached('max-cost', 'The conversation', Number(now.cost_usd.toFixed(9)), budget.maxCostUsd) ??
    reached('max-tokens', 'The conversation', tokensOf(now), budget.maxTokens) ??
    reached('max-calls', 'The conversation', now.calls, budget.maxCalls) ??
    reached('max-time', 'The conversation', activeMs, budget.maxMs)
  );
}

/** @see software-agent-sdk MaxIterationsReached, MaxBudgetReached: the codes of its error events */
const kinds = {
  'max-iterations': { code: 'MaxIterationsReached', tell: (count: number) => `took ${count} steps` },
  'max-cost': { code: 'MaxBudgetReached', tell: (count: number) => `cost $${Number(count.toFixed(4))}` },
  'max-tokens': { code: 'MaxTokensReached', tell: (count: number) => `used ${count} tokens` },
  'max-calls': { code: 'MaxCallsReached', tell: (count: number) => `asked its model ${count} times` },
  'max-time': { code: 'MaxTimeReached', tell: (count: number) => `took ${count} milliseconds` },
} as const;

/** The limit of time that leaves a run least, and how long that is; undefined when nothing limits it. */
export function timeLimit(
  run: { readonly maxMs?: number },
  budget: Budget,
  activeMs: number,
): { readonly leftMs: number; readonly limit: ReachedLimit } | undefined {
  const runMs = run.maxMs ?? Infinity;
  const budgetMs = (budget.maxMs ?? Infinity) - activeMs;
  const [whose, leftMs, limit] =
    runMs <= budgetMs
      ? (['The run', runMs, run.maxMs] as const)
      : (['The conversation', budgetMs, budget.maxMs] as const);
  const reachedThen = limit === undefined ? undefined : reached('max-time', whose, limit, limit);
  return reachedThen && { leftMs: Math.max(0, leftMs), limit: reachedThen };
}

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
