import type { Usage } from '@varve/events/projections';

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
