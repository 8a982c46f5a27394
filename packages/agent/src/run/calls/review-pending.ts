import { isDeepStrictEqual } from 'node:util';
import { reviewFact } from '@varve/events/facts';
import { type ProposedCall } from '../../commands/proposed-call.ts';
import type { Session } from '../../agent/session.ts';
import type { ConfirmationPolicy } from '../../confirmation/confirmation-policy.ts';
import { reviewCalls, withCoveredAction, type ReviewedCall } from '../../confirmation/gate.ts';
import type { Draft } from '../../log/drafts.ts';
import { proposedCalls } from './proposed-calls.ts';
import { recoveryDecision, type RunnableCall } from './recovery.ts';

/** A pending call that may run, with its review. */
export type ReviewedPending = ReviewedCall<RunnableCall & ProposedCall>;

/** Reviews of the calls of a reply, by the ids of their events. */
export interface ReplyReviews {
  /** Policy that decided. */
  readonly policy: ConfirmationPolicy;
  readonly byEvent: ReadonlyMap<string, ReviewedCall>;
  /** Event of the call whose start was stored together with the reply: nothing more is decided about it. */
  readonly startedId?: string;
}

/** Reviews pending calls, except those whose review is known already. */
export function reviewPending(
  calls: readonly RunnableCall[],
  session: Session,
  known?: ReplyReviews,
): readonly ReviewedPending[] {
  const { agent } = session;
  const isCurrent = known?.policy === agent.policy || known?.startedId !== undefined;
  const reused = known && isCurrent ? calls.flatMap((call) => withReview(call, known)) : [];
  return reused.length === calls.length ? reused : reviewCalls(agent, proposedCalls(calls, session));
}

/** Returns a call with its known review. A call that was changed when it was stored, to hide a secret, has none. */
function withReview(call: RunnableCall, { byEvent }: ReplyReviews): readonly ReviewedPending[] {
  const known = byEvent.get(call.event.id);
  if (!known || !isDeepStrictEqual(known.call.action, call.action)) return [];
  return [{ call: { ...known.call, ...call }, review: known.review }];
}

/** Reviews all pending calls that may run. */
export function reviewAllPending(session: Session): readonly ReviewedPending[] {
  const pending = session.journal.timeline.read('pending').map((call) => withCoveredAction(session.codec, call));
  const calls = pending.flatMap((call, index) => {
    const decision = recoveryDecision(call, session.tools, pending.slice(0, index));
    return decision.kind === 'run' ? [decision.call] : [];
  });
  return reviewPending(calls, session);
}

/**
 * Records the reviews of waiting calls if they differ from the stored ones. A person is asked about the calls that the
 * log marks, and the policy may have changed since they were stored.
 */
export function changedReviewDrafts(calls: readonly ReviewedPending[], { journal, mask }: Session): readonly Draft[] {
  const stored = new Map(journal.timeline.read('pending').map(({ event, review }) => [event.id, review]));
  const current = calls.map(({ call, review }) => ({ id: call.event.id, review: mask(review) }));
  const isRated = current.some(({ review: { verdict, rule } }) => verdict !== undefined || rule !== undefined);
  const isKnown = current.every(({ id, review }) => isDeepStrictEqual(stored.get(id), review));
  if (isKnown || (!isRated && current.every(({ id }) => stored.get(id) === undefined))) return [];
  const reviews = current.map(({ id, review }) => ({ action_id: id, ...review }));
  return [{ make: (stamp) => reviewFact.create({ calls: reviews }, stamp) }];
}
