import type { Json } from '@varve/events';
import type { ProposedCall } from '../risk/risk-analyzer.ts';

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
