import type { Json, SecurityRisk } from '@varve/events';
import type { Payload } from '@varve/events/payloads';
import type { Tool } from '@varve/tools';

/** A valid call that is about to run, as a policy sees it. */
export interface ProposedCall {
  readonly tool: Tool;
  /** The payload as it is stored; `tool.fromAction` gives the input, for `tool.effect` and the like. */
  readonly action: Payload;
  /** What the model itself says of the danger; `UNKNOWN` when it said nothing, and for tools that only read. */
  readonly risk: SecurityRisk;
}

/**
 * Decides which calls a person must allow first. If it asks for one call of a reply, the whole reply waits. A reply that
 * only thinks or finishes never waits, and no policy is asked about it.
 */
export interface ConfirmationPolicy {
  /** What rebuilds this policy: the reference's JSON of it, or a `kind` of your own and its options. */
  readonly spec: Json;
  /** What rebuilds the analyzer it asks, if it was given one: the reference keeps it beside the policy. */
  readonly analyzer?: Json;
  /** Must be pure, because it is asked again before the call runs and after a restart, and must not throw. */
  asks(call: ProposedCall): boolean;
}
