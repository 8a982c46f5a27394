import type { ConversationState, RunOptions, RunResult } from '@varve/agent';

/** Limits of all runs of a request together, those after a question included. */
export type RunLimits = Pick<RunOptions, 'maxIterations' | 'maxCostUsd' | 'maxTokens' | 'maxMs'>;

type Spent = Pick<ConversationState, 'stats' | 'activeMs'>;

/** Smallest amounts that a run accepts: it ends with the limit after what is open, such as approved calls. */
const least = { steps: 1, usd: 1e-9, tokens: 1, ms: 1 } as const;

/** Returns what counts the use of the runs of a request. `before` is the state before the first run. */
export function limitCounter(limits: RunLimits, before: Spent) {
  let steps = 0;
  return {
    /** Counts the steps of a run that has ended. */
    add: ({ iterations }: Pick<RunResult, 'iterations'>): void => void (steps += iterations),
    /** Returns the limits of the next run. */
    remaining(now: Spent): RunLimits {
      const { maxIterations, maxCostUsd, maxTokens, maxMs } = limits;
      const cost = costOf(now) - costOf(before);
      const tokens = tokensOf(now) - tokensOf(before);
      const ms = now.activeMs - before.activeMs;
      return {
        ...(maxIterations !== undefined && { maxIterations: Math.max(least.steps, maxIterations - steps) }),
        ...(maxCostUsd !== undefined && { maxCostUsd: Math.max(least.usd, maxCostUsd - cost) }),
        ...(maxTokens !== undefined && { maxTokens: Math.max(least.tokens, maxTokens - tokens) }),
        ...(maxMs !== undefined && { maxMs: Math.max(least.ms, Math.round(maxMs - ms)) }),
      };
    },
  };
}

function tokensOf({ stats: { total } }: Spent): number {
  return total.input_tokens + total.output_tokens;
}

function costOf({ stats: { total } }: Spent): number {
  return total.cost_usd ?? 0;
}
