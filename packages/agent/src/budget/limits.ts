import type { Usage } from '@varve/events/projections';
import { AgentError } from '../error.ts';

/** Limits of one run. */
export interface Limits {
  /** Maximum number of steps; a step calls the model at most once. */
  readonly maxIterations?: number;
  /** US dollars. Calls of unknown price do not count. */
  readonly maxCostUsd?: number;
  /** Tokens in and out together, cached ones included. Replies without a token count do not count. */
  readonly maxTokens?: number;
  /**
   * Milliseconds that the run may take, at most 2,147,483,647. Then it is interrupted, in the middle of a step if need
   * be, as it is when the time of the conversation is over.
   */
  readonly maxMs?: number;
}

/** Limits of a conversation; absent ones are unlimited. `run` accepts limits of the single run too. */
export interface Budget {
  /** Steps of one run; default 500. */
  readonly maxIterations: number;
  /** US dollars of the whole conversation, over all its runs. Calls of unknown price do not count. */
  readonly maxCostUsd?: number;
  /** Tokens in and out of the whole conversation, cached ones included. */
  readonly maxTokens?: number;
  /** Replies of the model in the whole conversation. */
  readonly maxCalls?: number;
  /** Milliseconds of all runs of the conversation, at most 2,147,483,647. Time between runs does not count. */
  readonly maxMs?: number;
}

/** Longest delay of a timer in milliseconds; a longer one would end immediately. */
const mostMs = 2 ** 31 - 1;

/**
 * Checks limits. @throws {AgentError} `invalid` for limits that allow nothing, or that exceed what a timer can measure.
 */
export function checkLimits(limits: Limits & Pick<Budget, 'maxCalls'>): void {
  const { maxCostUsd, ...counts } = limits;
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (Number.isInteger(count) && count >= 1)) continue;
    throw new AgentError('invalid', `${name} is ${count}, but it must be a whole number of at least 1.`);
  }
  const { maxMs = 1 } = counts;
  if (maxMs > mostMs) throw new AgentError('invalid', `maxMs is ${maxMs}, but no run can be timed beyond ${mostMs}.`);
  if (maxCostUsd === undefined || maxCostUsd > 0) return;
  throw new AgentError('invalid', `maxCostUsd is ${maxCostUsd}, which allows nothing.`);
}

/** Usage that limits apply to. */
export interface Spent {
  /** US dollars. */
  readonly costUsd: number;
  /** Input and output tokens. */
  readonly tokens: number;
  /** Replies of models. */
  readonly calls: number;
}

/** Returns the part of a usage that limits apply to. */
export function spentOf({ cost_usd = 0, input_tokens, output_tokens, calls }: Usage): Spent {
  return { costUsd: cost_usd, tokens: input_tokens + output_tokens, calls };
}

/** Returns `more` minus `less`. Sums of cents are not exact: differences below a nanodollar do not count. */
export function spentSince(less: Spent, more: Spent): Spent {
  return {
    costUsd: Number((more.costUsd - less.costUsd).toFixed(9)),
    tokens: more.tokens - less.tokens,
    calls: more.calls - less.calls,
  };
}
