import type { EventCodec } from '@varve/events';
import type { CallReview } from '@varve/events/facts';
import type { ActionEvent } from '@varve/events/kinds';
import { FinishAction, ThinkAction } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { digestOf } from '../log/digest.ts';

/** Returns the digest of an action's stored bytes, to which its approval is bound. */
export function approvalDigest(codec: EventCodec, event: ActionEvent): string {
  return digestOf(codec.encode(event));
}

/** Returns the digest of a list of calls as they are stored, in this order: hex SHA-256 over their digests. */
export function callsDigest(codec: EventCodec, calls: readonly Pick<PendingCall, 'event'>[]): string {
  return digestOf(calls.map(({ event }) => approvalDigest(codec, event)).join('\n'));
}

/** Reports whether exactly this call was approved. */
export function isApproved(codec: EventCodec, call: PendingCall): boolean {
  // Most calls are never asked about, and a digest reads the whole call.
  return call.approvedDigest !== undefined && call.approvedDigest === approvalDigest(codec, call.event);
}

/** Returns the review of each call of a reply. All of them must wait for a person if the policy asks about one. */
export function reviewCalls(policy: ConfirmationPolicy, calls: readonly ProposedCall[]): readonly CallReview[] {
  return calls.every(isHarmless) ? calls.map(() => ({ asks: false })) : calls.map((call) => policy.review(call));
}

/** Reports whether the calls of a reply must wait for a person. */
export function mustWait(policy: ConfirmationPolicy, calls: readonly ProposedCall[]): boolean {
  return reviewCalls(policy, calls).some(({ asks }) => asks);
}

/** Reports whether a call only thinks or finishes, by its payload: any tool may be called `think`. */
function isHarmless({ action }: ProposedCall): boolean {
  return FinishAction.is(action) || ThinkAction.is(action);
}
