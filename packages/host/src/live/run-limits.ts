import type { ConversationState, RunOptions, RunResult } from '@varve/agent';

/** Limits of all runs of a request together, those after a question included. */
export type RunLimits = Pick<RunOptions, 'maxIterations' | 'maxCostUsd' | 'maxTokens' | 'maxMs'>;

type Spent = Pick<ConversationState, 'stats' | 'activeMs'>;

/** Smallest amounts that a run accepts: it ends with the limit after what is open, such as approved calls. */
const least = { steps: 1, usd: 1e-9, tokens: 1, ms: 1 } as const;

/** Counts what the runs of a request use. */
export class LimitCounter {
  readonly #limits: RunLimits;
  readonly #before: Spent;
  #steps = 0;

  /** @param before State before the first run. */
  constructor(limits: RunLimits, before: Spent) {
    this.#limits = limits;
    this.#before = before;
  }

  /** Counts the steps of a run that has ended. */
  add({ iterations }: Pick<RunResult, 'iterations'>): void {
    this.#steps += iterations;
  }

  /** Returns the limits of the next run. */
  remaining(now: Spent): RunLimits {
    const { maxIterations, maxCostUsd, maxTokens, maxMs } = this.#limits;
    const before = this.#before;
    const cost = costOf(now) - costOf(before);
    const tokens = tokensOf(now) - tokensOf(before);
    const ms = now.activeMs - before.activeMs;
    return {
      ...(maxIterations !== undefined && { maxIterations: Math.max(least.steps, maxIterations - this.#steps) }),
      ...(maxCostUsd !== undefined && { maxCostUsd: Math.max(least.usd, maxCostUsd - cost) }),
      ...(maxTokens !== undefined && { maxTokens: Math.max(least.tokens, maxTokens - tokens) }),
      ...(maxMs !== undefined && { maxMs: Math.max(least.ms, Math.round(maxMs - ms)) }),
    };
  }
}

function tokensOf({ stats: { total } }: Spent): number {
  return total.input_tokens + total.output_tokens;
}

function costOf({ stats: { total } }: Spent): number {
  return total.cost_usd ?? 0;
}
