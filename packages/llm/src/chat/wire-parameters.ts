import type { ModelParameters } from '../model-request.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { WireRequest } from './wire-request.ts';

/** Returns the parameters under the names that a server knows, without those it rejects. */
export function wireParameters(parameters: ModelParameters, dialect: Dialect): Partial<WireRequest> {
  const { temperature, topP, maxOutputTokens, reasoningEffort, seed, stop } = parameters;
  const { outputLimit, without, asksForCost } = dialect;
  return {
    ...(temperature !== undefined && !without.includes('temperature') && { temperature }),
    ...(topP !== undefined && !without.includes('top_p') && { top_p: topP }),
    ...(maxOutputTokens !== undefined && outputLimit !== 'none' && { [outputLimit]: maxOutputTokens }),
    ...(reasoningEffort !== undefined && !without.includes('effort') && efforts[dialect.effort](reasoningEffort)),
    ...(seed !== undefined && !without.includes('seed') && { seed }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
    ...(asksForCost && { usage: { include: true } }),
  };
}

type Effort = NonNullable<ModelParameters['reasoningEffort']>;

const efforts: Readonly<Record<Dialect['effort'], (effort: Effort) => Partial<WireRequest>>> = {
  reasoning_effort: (effort) => ({ reasoning_effort: effort }),
  reasoning: (effort) => ({ reasoning: effort === 'none' ? { enabled: false } : { effort } }),
  thinking: (effort) => ({ thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } }),
  enable_thinking: (effort) => ({ enable_thinking: effort !== 'none' }),
};
