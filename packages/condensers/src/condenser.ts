import type { BaseEvent, Json } from '@varve/events';
import type { View } from '@varve/events/projections';
import type { LanguageModel, ModelReply, ModelRequest } from '@varve/llm';

/** Estimates the tokens of requests of the agent. Estimates are corrected by what its model last reported. */
export interface TokenCounter {
  /** Returns the tokens of a request with these events, the tools included. */
  request(events: readonly BaseEvent[]): number;
  /** Returns the tokens of one event in a request. */
  event(event: BaseEvent): number;
}

/** Context of a condensation: everything that a condenser knows apart from the view. */
export interface CondenseContext {
  readonly signal: AbortSignal;
  /**
   * Reason of the call: `check` before a request, `demand` if the view must become smaller. The reason decides, not the
   * view's `isCondensationRequested`.
   */
  readonly reason: 'check' | 'demand';
  /**
   * Maximum tokens of a request to the agent's model: its context window without the room for the reply. Absent if the
   * window is unknown. It changes when the agent's model does.
   */
  readonly maxInputTokens?: number;
  readonly tokens: TokenCounter;
  /**
   * Calls a model, by default that of the agent. Usage and cost are stored and count in every budget.
   *
   * @throws {LlmError} what the model throws.
   */
  readonly callModel: (request: ModelRequest, model?: LanguageModel) => Promise<ModelReply>;
  /** Number of attempts to condense that failed since the last condensation. */
  readonly failures: number;
  /** Subject that a summary should preserve above all, in the words of a person. */
  readonly focus?: string;
}

/** Replacement of the content of observations by a text. */
export interface ObservationMask {
  /** Ids of observations of the view that are not masked yet, in view order, each once, never empty. */
  readonly eventIds: readonly string[];
  /** Text that the model sees in their place, never blank. */
  readonly text: string;
}

/**
 * Plan to mask observations. The caller appends each mask as a `varve.mask` fact. The events stay in the view, so calls
 * keep their results; the request has fewer tokens than before. Applying a plan twice changes nothing more.
 */
export interface MaskPlan {
  readonly kind: 'mask';
  /** Never empty. No event is in two masks. */
  readonly masks: readonly ObservationMask[];
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
  /** Reason for which no model wrote the summary although one should have; one sentence. */
  readonly problem?: string;
  /** Masks of other events, appended first. Absent or as in {@link MaskPlan}. */
  readonly masks?: readonly ObservationMask[];
}

/** Change of a view that the caller stores. */
export type Plan = CondensationPlan | MaskPlan;

/** Result of a demand that cannot be met. The caller then cuts the view itself or fails. */
export interface NothingToCondense {
  readonly kind: 'nothing';
  /** One sentence, never empty. */
  readonly reason: string;
}

/**
 * Answer of a condenser. A view other than the given one is a shorter way to write a plan: it may lack events, contain
 * masked observations, and contain one new summary; the caller stores the difference (see `planOfView`).
 */
export type CondenserAnswer = View | Plan | NothingToCondense;

/**
 * Decides which events of a long conversation the model still sees. It does not change its input and has no state
 * between calls; a model that it asks may answer differently each time.
 */
export interface Condenser {
  /** Description from which this condenser can be rebuilt: `kind` and options. Contains no secret. */
  readonly spec: Json;
  /**
   * Returns the view itself (the same object) for a `check` if it may remain unchanged, else a plan or another view. A
   * `demand` is answered with a change, or with the reason why it cannot be met. Once its changes are applied, a
   * check leaves the view alone after a few repetitions.
   *
   * @throws {CondenserError} `aborted` if the signal is or becomes aborted, `failed` if a needed reply is unusable.
   * Errors of a model are rethrown, unless the condenser can work without a summary. The caller records a failure,
   * counts it in `failures` and continues with the view as it is, or cuts the view itself after a demand.
   */
  condense(view: View, context: CondenseContext): Promise<CondenserAnswer>;
}

/** Returns the plan in an answer; undefined without one. */
export function planIn(answer: CondenserAnswer): Plan | undefined {
  return 'kind' in answer && answer.kind !== 'nothing' ? answer : undefined;
}
