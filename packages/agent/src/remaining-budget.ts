import type { Usage } from '@varve/events/projections';
import type { Budget } from './agent.ts';

/**
 * What a conversation leaves of its budget for one that works on its behalf, so that both together stay within it. A run of
 * the other one may take as many steps. Undefined when something is used up.
 */
export function remainingBudget(budget: Budget, used: Usage): Budget | undefined {
  const { maxIterations, maxCostUsd, maxTokens, maxCalls } = budget;
  const rest: Budget = {
    maxIterations,
    ...(maxCostUsd !== undefined && { maxCostUsd: maxCostUsd - used.cost_usd }),
    ...(maxTokens !== undefined && { maxTokens: maxTokens - used.input_tokens - used.output_tokens }),
    ...(maxCalls !== undefined && { maxCalls: maxCalls - used.calls }),
  };
  return Object.values(rest).every((left) => left > 0) ? rest : undefined;
}
