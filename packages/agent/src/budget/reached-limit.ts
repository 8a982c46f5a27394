import type { Budget, Limits, Spent } from './limits.ts';

/** A reached limit: the reason for the end of a run, and the error that is stored. */
export interface ReachedLimit {
  readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls' | 'max-time';
  readonly code: string;
  readonly detail: string;
}

/** Active time of a conversation. */
export interface Times {
  /** Milliseconds of the current run, and of all runs. */
  readonly runMs: number;
  readonly activeMs: number;
  /** Id of the conversation when it is an ancestor of the one that runs. */
  readonly of?: string;
}

/** Usage of a run and of its conversation so far. */
export interface Used extends Times {
  readonly iterations: number;
  readonly ofRun: Spent;
  readonly now: Spent;
}

/** Returns the first limit that is reached, of the run or of the conversation. */
export function reachedLimit(run: Limits, budget: Budget, used: Used): ReachedLimit | undefined {
  const { iterations, ofRun, now, runMs, activeMs } = used;
  const names = namesOf(used);
  return (
    limitIfReached('max-iterations', names.run, iterations, run.maxIterations) ??
    limitIfReached('max-cost', names.run, ofRun.costUsd, run.maxCostUsd) ??
    limitIfReached('max-tokens', names.run, ofRun.tokens, run.maxTokens) ??
    limitIfReached('max-time', names.run, runMs, run.maxMs) ??
    // Sums of cents are not exact: differences below a nanodollar do not count.
    limitIfReached('max-cost', names.all, Number(now.costUsd.toFixed(9)), budget.maxCostUsd) ??
    limitIfReached('max-tokens', names.all, now.tokens, budget.maxTokens) ??
    limitIfReached('max-calls', names.all, now.calls, budget.maxCalls) ??
    limitIfReached('max-time', names.all, activeMs, budget.maxMs)
  );
}

/** @see software-agent-sdk MaxIterationsReached, MaxBudgetReached: the codes of its error events */
const kinds = {
  'max-iterations': { code: 'MaxIterationsReached', describe: (count: number) => `took ${count} steps` },
  'max-cost': { code: 'MaxBudgetReached', describe: (count: number) => `cost $${Number(count.toFixed(4))}` },
  'max-tokens': { code: 'MaxTokensReached', describe: (count: number) => `used ${count} tokens` },
  'max-calls': { code: 'MaxCallsReached', describe: (count: number) => `asked its model ${count} times` },
  'max-time': { code: 'MaxTimeReached', describe: (count: number) => `took ${count} milliseconds` },
} as const;

/** Remaining time of a run, and the limit that is reached after it. */
export interface TimeLeft {
  readonly leftMs: number;
  readonly limit: ReachedLimit;
}

/** Returns the tightest time limit of a run; undefined without one. */
export function timeLimit(run: Limits, budget: Budget, times: Times): TimeLeft | undefined {
  const names = namesOf(times);
  const runMs = (run.maxMs ?? Infinity) - times.runMs;
  const budgetMs = (budget.maxMs ?? Infinity) - times.activeMs;
  const [whose, leftMs, limit] =
    runMs <= budgetMs ? ([names.run, runMs, run.maxMs] as const) : ([names.all, budgetMs, budget.maxMs] as const);
  const reachedThen = limit === undefined ? undefined : limitIfReached('max-time', whose, limit, limit);
  return reachedThen && { leftMs: Math.max(0, leftMs), limit: reachedThen };
}

function namesOf({ of }: Times): { readonly run: string; readonly all: string } {
  return of === undefined
    ? { run: 'The run', all: 'The conversation' }
    : {
        run: `The run of the parent conversation ${of}`,
        all: `The parent conversation ${of}`,
      };
}

function limitIfReached(
  reason: ReachedLimit['reason'],
  whose: string,
  count: number,
  limit: number | undefined,
): ReachedLimit | undefined {
  // A limit is a sum of cents too, if the caller subtracted cost from it.
  if (limit === undefined || count < (Number(limit.toFixed(9)) || limit)) return undefined;
  const { code, describe } = kinds[reason];
  return { reason, code, detail: `${whose} ${describe(count)}, and its limit is ${limit}.` };
}
