import type { Usage } from '@varve/events/projections';

/** `3 model calls · 12.4k in / 800 out · $0.0123`, without what the provider did not report. */
export function usageText(usage: Usage): string {
  const { calls, input_tokens: input, output_tokens: output, cost_usd: cost = 0, unpriced_calls: unpriced } = usage;
  return [
    `${calls} model ${calls === 1 ? 'call' : 'calls'}`,
    ...(input + output === 0 ? [] : [`${thousands(input)} in / ${thousands(output)} out`]),
    ...(unpriced === calls ? [] : [`${unpriced > 0 ? 'at least ' : ''}$${cost.toFixed(4)}`]),
  ].join(' · ');
}

/** Formats a count: `800`, `12.4k`. */
export function thousands(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
