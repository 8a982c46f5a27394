import type { Budget } from './agent.ts';
import type { RunResult } from './run-result.ts';

/**
 * What a conversation leaves of its budget for one elsewhere that works on its behalf, so that both together stay within it. A
 * run of the other one may take as many steps. Undefined when something is used up. `Conversation.child` shares instead, which
 * several at once can.
 */
export function remainingBudget(
  budget: Budget,
  { usage, activeMs }: Pick<RunResult, 'usage' | 'activeMs'>,
): Budget | undefined {
  const { maxIterations, maxCostUsd, maxTokens, maxCalls, maxMs } = budget;
  const rest: Budget = {
    maxIterations,
    ...(maxCostUsd !== undefined && { maxCostUsd: maxCostUsd - usage.cost_usd }),
    ...(maxTokens !== undefined && { maxTokens: maxTokens - usage.input_tokens - usage.output_tokens }),
    ...(maxCalls !== undefined && { maxCalls: maxCalls - usage.calls }),
    ...(maxMs !== undefined && { maxMs: maxMs - activeMs }),
  };
  return Object.values(rest).every((left) => left > 0) ? rest : undefined;
}
