import { lazy, type TokenUsage } from '@varve/events';
import * as z from 'zod';

/** Most tokens or dollars of one response. Sums of greater numbers would not be exact, or not finite. */
const maxCount = 1e12;

const count = lazy(() => z.number().nonnegative().max(maxCount).optional().catch(undefined));
const details = lazy(() =>
  z.looseObject({ cached_tokens: count(), cache_write_tokens: count(), reasoning_tokens: count() }),
);

const wireUsage = lazy(() =>
  z.looseObject({
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    prompt_tokens_details: details().optional().catch(undefined),
    completion_tokens_details: details().optional().catch(undefined),
    cached_tokens: count(),
    prompt_cache_hit_tokens: count(),
    cache_read_input_tokens: count(),
    cache_creation_input_tokens: count(),
    reasoning_tokens: count(),
    cost: count(),
  }),
);
type WireUsage = z.output<ReturnType<typeof wireUsage>>;

/** Usage and cost of one response, as far as the provider reports them. */
export interface UsageAndCost {
  readonly usage?: TokenUsage;
  readonly costUsd?: number;
}

/**
 * Reads a `usage` object in the spelling of any provider. Parts never exceed their whole: cached and written tokens are
 * part of the input, reasoning is part of the output. An object without prompt tokens contains no usage.
 */
export function usageOf(raw: unknown): UsageAndCost {
  const parsed = wireUsage().safeParse(raw);
  if (!parsed.success) return {};
  const { prompt_tokens: prompt, cost } = parsed.data;
  return {
    ...(prompt !== undefined && { usage: normalise(parsed.data, prompt) }),
    ...(cost !== undefined && { costUsd: cost }),
  };
}

function normalise(wire: WireUsage, prompt: number): TokenUsage {
  const cached =
    wire.prompt_tokens_details?.cached_tokens ??
    wire.prompt_cache_hit_tokens ??
    wire.cached_tokens ??
    wire.cache_read_input_tokens ??
    0;
  const written = wire.prompt_tokens_details?.cache_write_tokens ?? wire.cache_creation_input_tokens ?? 0;
  // Some proxies count like Anthropic, where cached tokens are not part of the prompt.
  const input = cached > prompt ? prompt + cached + written : prompt;
  const reasoning = wire.completion_tokens_details?.reasoning_tokens ?? wire.reasoning_tokens ?? 0;
  const output = outputOf(wire, reasoning, prompt);
  const read = Math.min(whole(cached), whole(input));
  return {
    input_tokens: whole(input),
    output_tokens: whole(output),
    cache_read_tokens: read,
    cache_write_tokens: Math.min(whole(written), whole(input) - read),
    reasoning_tokens: Math.min(whole(reasoning), whole(output)),
  };
}

/** Some providers do not count reasoning as part of the completion, which their total reveals. */
function outputOf({ completion_tokens = 0, total_tokens }: WireUsage, reasoning: number, prompt: number): number {
  const isSeparate = reasoning > 0 && total_tokens === prompt + completion_tokens + reasoning;
  return isSeparate ? completion_tokens + reasoning : completion_tokens;
}

function whole(tokens: number): number {
  return Math.round(tokens);
}
