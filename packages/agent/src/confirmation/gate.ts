import type { EventCodec } from '@varve/events';
import type { ActionEvent } from '@varve/events/kinds';
import { FinishAction, ThinkAction } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { digestOf } from '../log/digest.ts';

/** What an approval of an action binds to: its stored bytes. */
export function approvalDigest(codec: EventCodec, event: ActionEvent): string {
  return digestOf(codec.encode(event));
}

/** Whether somebody allowed exactly this call. */
export function isApproved(codec: EventCodec, call: PendingCall): boolean {
  // Most are never asked about, and a digest reads all that a call says.
  return call.approvedDigest !== undefined && call.approvedDigest === approvalDigest(codec, call.event);
}

/** Whether the calls of a reply must wait for a person. One that asks makes all of them wait. */
export function mustWait(policy: ConfirmationPolicy, calls: readonly ProposedCall[]): boolean {
  return !calls.every(isHarmless) && calls.some((call) => policy.asks(call));
}

/** There is nothing in it to refuse. Told by its payload: a tool of any kind may be called `think`. */
function isHarmless({ action }: ProposedCall): boolean {
  return FinishAction.is(action) || ThinkAction.is(action);
}
