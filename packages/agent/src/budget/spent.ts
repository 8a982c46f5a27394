import type { Usage } from '@varve/events/projections';

/** What limits look at of what was used. */
export interface Spent {
  /** US dollars. */
  readonly costUsd: number;
  /** In and out together. */
  readonly tokens: number;
  /** Replies of models. */
  readonly calls: number;
}

/** What was used, as limits look at it. */
export function spentOf({ cost_usd, input_tokens, output_tokens, calls }: Usage): Spent {
  return { costUsd: cost_usd, tokens: input_tokens + output_tokens, calls };
}

/** The difference, as `more` without `less`; sums of cents are not exact: what is off by less than a nanodollar is not off. */
export function spentSince(less: Spent, more: Spent): Spent {
  return {
    costUsd: Number((more.costUsd - less.costUsd).toFixed(9)),
    tokens: more.tokens - less.tokens,
    calls: more.calls - less.calls,
  };
}
