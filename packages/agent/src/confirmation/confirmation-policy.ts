import type { Json } from '@varve/events';
import type { CallReview } from '@varve/events/facts';

import { type ProposedCall } from '../commands/proposed-call.ts';
/**
 * Decides which calls a person must approve first. If it asks about one call of a reply, the whole reply waits. A reply
 * that only thinks or finishes never waits, and the policy is not asked about it. Reviews with a verdict are stored
 * with the calls.
 */
export interface ConfirmationPolicy {
  /** JSON from which this policy can be rebuilt: the reference's, or a custom `kind` and its options. */
  readonly spec: Json;
  /** JSON of its analyzer, if it has one: the reference stores it next to the policy. */
  readonly analyzer?: Json;
  /** The policy without the rules of a person, if it has any. */
  readonly withoutRules?: ConfirmationPolicy;
  /**
   * Must not change anything, because it is called again before the call runs and after a restart, and must not throw.
   * May read the file system, to resolve links. A call with `denies` is answered and never runs, even if it was
   * approved.
   */
  review(call: ProposedCall): CallReview;
}
