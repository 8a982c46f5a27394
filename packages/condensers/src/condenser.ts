import type { Json } from '@varve/events';
import type { View } from '@varve/events/projections';

/** Context of a condensation. */
export interface CondenseContext {
  readonly signal: AbortSignal;
  /**
   * Reason of the call: `check` before a request, `demand` if the view must become smaller. The reason decides, not the
   * view's `isCondensationRequested`.
   */
  readonly reason: 'check' | 'demand';
  /** Context window of the agent's model in tokens; absent if unknown. */
  readonly contextWindow?: number;
}

/**
 * Plan of what to forget. The caller appends it as a `Condensation`; the condenser stores nothing. The resulting view
 * has fewer events than before, the summary included, and its messages are legal.
 */
export interface CondensationPlan {
  readonly kind: 'condensation';
  /**
   * Ids of events of the view, earlier summaries included, in view order, each once, never empty. They need not be
   * adjacent. Between two consecutive `cutPoints`, either all calls and results are forgotten or none: replies are
   * forgotten with their results, loops with signed thinking blocks as a whole, and a reply that waits for results
   * never. Never contains the system prompt.
   */
  readonly forget: readonly string[];
  /** Replacement of the forgotten events for the model. Never blank. */
  readonly summary?: string;
  /** Index of the summary in the view without the forgotten events. Present if `summary` is. */
  readonly summaryOffset?: number;
  /** Id of the model's reply that contains the summary; absent if no model wrote it. */
  readonly responseId?: string;
}

/** Result of a demand that cannot be met. The caller then cuts the view itself or fails. */
export interface NothingToCondense {
  readonly kind: 'nothing';
  /** One sentence, never empty. */
  readonly reason: string;
}

/**
 * Decides which events of a long conversation the model still sees. It does not change its input and has no state
 * between calls; a model that it asks may answer differently each time.
 */
export interface Condenser {
  /** Description from which this condenser can be rebuilt. */
  readonly spec: Json;
  /**
   * Returns the view itself (the same object) for a `check` if it may remain unchanged, else a plan. Returns a plan for
   * a `demand`, or the reason for which it is impossible.
   *
   * @throws {CondenserError} `aborted` if the signal is or becomes aborted. Errors of a model are rethrown, unless the
   * condenser can work without a summary.
   */
  condense(view: View, context: CondenseContext): Promise<View | CondensationPlan | NothingToCondense>;
}
