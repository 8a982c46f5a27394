import type { Budget, Limits } from './limits.ts';
import type { Spent } from './spent.ts';

type LimitsOfRun = Limits & { readonly maxMs?: number };

/** A limit that was reached: the reason a run ends with, and what the log says of it. */
export interface ReachedLimit {
  readonly reason: 'max-iterations' | 'max-cost' | 'max-tokens' | 'max-calls' | 'max-time';
  readonly code: string;
  readonly detail: string;
}

/** How long a conversation has been at work. */
export interface Times {
  /** Milliseconds of the run under way, and of all runs together. */
  readonly runMs: number;
  readonly activeMs: number;
  /** Which conversation, when it is not the one that asks but one that it works for. */
  readonly of?: string;
}

/** What is used up so far, of the run and of the whole conversation. */
export interface Used extends Times {
  readonly iterations: number;
  readonly ofRun: Spent;
  readonly now: Spent;
}

/** The first limit that is reached, of the run or of the conversation. */
export function reachedLimit(run: LimitsOfRun, budget: Budget, used: Used): ReachedLimit | undefined {
  const { iterations, ofRun, now, runMs, activeMs } = used;
  const names = namesOf(used);
  return (
    reached('max-iterations', names.run, iterations, run.maxIterations) ??
    reached('max-cost', names.run, ofRun.costUsd, run.maxCostUsd) ??
    reached('max-tokens', names.run, ofRun.tokens, run.maxTokens) ??
    reached('max-time', names.run, runMs, run.maxMs) ??
    // Sums of cents are not exact: what is off by less than a nanodollar is not off.
    reached('max-cost', names.all, Number(now.costUsd.toFixed(9)), budget.maxCostUsd) ??
    reached('max-tokens', names.all, now.tokens, budget.maxTokens) ??
    reached('max-calls', names.all, now.calls, budget.maxCalls) ??
    reached('max-time', names.all, activeMs, budget.maxMs)
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

/** How long a run may still take, and the limit that is reached then. */
export interface TimeLeft {
  readonly leftMs: number;
  readonly limit: ReachedLimit;
}

/** The limit of time that leaves a run least; undefined when nothing limits it. */
export function timeLimit(run: LimitsOfRun, budget: Budget, times: Times): TimeLeft | undefined {
  const names = namesOf(times);
  const runMs = (run.maxMs ?? Infinity) - times.runMs;
  const budgetMs = (budget.maxMs ?? Infinity) - times.activeMs;
  const [whose, leftMs, limit] =
    runMs <= budgetMs ? ([names.run, runMs, run.maxMs] as const) : ([names.all, budgetMs, budget.maxMs] as const);
  const reachedThen = limit === undefined ? undefined : reached('max-time', whose, limit, limit);
  return reachedThen && { leftMs: Math.max(0, leftMs), limit: reachedThen };
}

function namesOf({ of }: Times): { readonly run: string; readonly all: string } {
  return of === undefined
    ? { run: 'The run', all: 'The conversation' }
    : {
        run: `The run of conversation ${of}, for which this one works,`,
        all: `Conversation ${of}, for which this one works,`,
      };
}

function reached(
  reason: ReachedLimit['reason'],
  whose: string,
  count: number,
  limit: number | undefined,
): ReachedLimit | undefined {
  // Limits are sums of cents too, where somebody subtracted what was spent elsewhere.
  if (limit === undefined || count < (Number(limit.toFixed(9)) || limit)) return undefined;
  const { code, tell } = kinds[reason];
  return { reason, code, detail: `${whose} ${tell(count)}, and its limit is ${limit}.` };
}
