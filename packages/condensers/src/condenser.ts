import type { Json } from '@varve/events';
import type { View } from '@varve/events/projections';

/** What a condenser may use besides the view. */
export interface CondenseContext {
  readonly signal: AbortSignal;
  /**
   * Why the view is looked at: `check` before a request, `demand` when it must become smaller. This decides, not the
   * view's `isCondensationRequested`.
   */
  readonly reason: 'check' | 'demand';
  /** Tokens the agent's model takes; absent when unknown. */
  readonly contextWindow?: number;
}

/**
 * A wish to forget. Whoever asked appends it as a `Condensation`; the condenser stores nothing. Once carried out, the
 * view has fewer events than before, its summary counted, and its messages are legal.
 */
export interface CondensationPlan {
  readonly kind: 'condensation';
  /**
   * Ids of events of the view, earlier summaries included, in view order, each once, never empty. They need not lie
   * next to each other. Of what lies between two neighbours of `cutPoints`, all calls and results or none: replies go
   * whole with their results, loops of signed thinking go whole, a reply that waits for results stays. Never the system
   * prompt.
   */
  readonly forget: readonly string[];
  /** What stands in their place for the model. Never blank. */
  readonly summary?: string;
  /** Where the summary goes, as an index into the view after forgetting. Given with `summary`. */
  readonly summaryOffset?: number;
  /** The reply of the model that wrote the summary, when one did. */
  readonly responseId?: string;
}

/** A condenser's answer to a demand it cannot meet; whoever asked then cuts by itself or gives up. */
export interface NothingToCondense {
  readonly kind: 'nothing';
  /** One sentence, never empty. */
  readonly reason: string;
}

/**
 * Decides what the model still sees of a long conversation. It changes nothing it was given and remembers nothing
 * between calls; a model that it asks may answer differently each time.
 */
export interface Condenser {
  /** What rebuilds this condenser. */
  readonly spec: Json;
  /**
   * Answers a check with the view itself (the same object) when it may stay as it is, else with a plan; a demand with a
   * plan, or with why there is none.
   *
   * @throws {CondenserError} `aborted` when the signal is or becomes aborted. What a model that it asks throws comes
   * through: a condenser that can do without a summary catches it.
   */
  condense(view: View, context: CondenseContext): Promise<View | CondensationPlan | NothingToCondense>;
}
