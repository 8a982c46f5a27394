import type { EventCodec } from '@varve/events';
import type { CallReview } from '@varve/events/facts';
import type { ActionEvent } from '@varve/events/kinds';
import { FinishAction, ThinkAction, type Payload } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { highestRisk } from '../risk/highest-risk.ts';
import { protectedFinding } from '../permissions/protected-paths.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { digestOf } from '../log/digest.ts';

/** What decides about calls: the policy of an agent, and files that no policy lets a call change without a question. */
export interface Gate {
  readonly policy: ConfirmationPolicy;
  readonly protectedPaths: readonly string[];
}

/** Returns the digest of an action's stored bytes, to which its approval is bound, and of what runs in its place. */
export function approvalDigest(codec: EventCodec, event: ActionEvent, changed?: Payload): string {
  const digest = digestOf(codec.encode(event));
  if (!changed) return digest;
  // A record is read with its kind first.
  const { kind, ...fields } = changed;
  return digestOf(JSON.stringify([digest, kind, fields]));
}

/** Returns the digest of a list of calls and of what runs in their place, in this order: hex SHA-256 over theirs. */
export function callsDigest(
  codec: EventCodec,
  calls: readonly Pick<PendingCall, 'event' | 'approvedAction'>[],
): string {
  return digestOf(calls.map(({ event, approvedAction }) => approvalDigest(codec, event, approvedAction)).join('\n'));
}

/** Reports whether exactly this call was approved. */
export function isApproved(codec: EventCodec, call: PendingCall): boolean {
  // Most calls are never asked about, and a digest reads the whole call.
  const { approvedDigest, approvedAction, event } = call;
  return approvedDigest !== undefined && approvedDigest === approvalDigest(codec, event, approvedAction);
}

/** Returns a call without an action in its place that its approval does not cover. */
export function withCoveredAction(codec: EventCodec, call: PendingCall): PendingCall {
  const { approvedAction, ...stored } = call;
  return approvedAction === undefined || isApproved(codec, call) ? call : stored;
}

/** A call with what was decided about it. */
export interface ReviewedCall<Call extends ProposedCall = ProposedCall> {
  readonly call: Call;
  readonly review: CallReview;
}

/**
 * Reviews the calls of a reply. All of them must wait for a person if one is asked about. A call that may change the
 * configuration of agents is asked about whatever the policy is, unless the policy denies it.
 */
export function reviewCalls<Call extends ProposedCall>(
  gate: Gate,
  calls: readonly Call[],
): readonly ReviewedCall<Call>[] {
  const areHarmless = calls.every(isHarmless);
  return calls.map((call) => ({ call, review: areHarmless ? { asks: false } : reviewCall(gate, call) }));
}

function reviewCall({ policy, protectedPaths }: Gate, call: ProposedCall): CallReview {
  const review = policy.review(call);
  const finding = review.denies ? undefined : protectedFinding(call, protectedPaths);
  if (!finding) return review;
  const { risk, reasons = [] } = review.verdict ?? {};
  const verdict = { risk: highestRisk([risk, finding.risk]) ?? finding.risk, reasons: [finding, ...reasons] };
  return { ...review, asks: true, verdict };
}

/** Reports whether a deny rule matches a call, or may match it, when it runs without its sandbox. */
export function mayBeDenied({ policy }: Gate, call: ProposedCall): boolean {
  const { sandbox: _, ...tool } = call.tool;
  const { denies, rule } = policy.review({ ...call, tool });
  return denies === true || rule?.startsWith('deny ') === true;
}

/** Reports whether calls must wait for a person. */
export function mustWait(calls: readonly ReviewedCall[]): boolean {
  return calls.some(({ review }) => review.asks) && !calls.every(({ call }) => isHarmless(call));
}

/** Returns why a rule denies a call, for the model; undefined for a call that it does not deny. */
export function denialOf({ denies, rule }: CallReview): string | undefined {
  return denies ? `A rule denies it: ${rule ?? 'unnamed'}. Do not try to reach the same in another way.` : undefined;
}

/** Reports whether a call only thinks or finishes, by its payload: any tool may be called `think`. */
function isHarmless({ action }: ProposedCall): boolean {
  return FinishAction.is(action) || ThinkAction.is(action);
}
