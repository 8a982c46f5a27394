import { isDeepStrictEqual } from 'node:util';
import { reviewFact } from '@varve/events/facts';
import { reviewCalls } from '../../confirmation/gate.ts';
import type { Draft } from '../../log/drafts.ts';
import type { ProposedCall } from '../../risk/risk-analyzer.ts';
import type { Session } from '../../agent/session.ts';
import { proposedCalls } from './proposed-calls.ts';
import { recoveryDecision, type RunnableCall } from './recovery.ts';

/** Returns pending calls as a policy reviews them. */
export function runnableCalls(calls: readonly RunnableCall[], session: Session): readonly ProposedCall[] {
  const known = calls.flatMap(({ event, tool }) =>
    event.action ? [{ tool, action: event.action, risk: event.security_risk }] : [],
  );
  return proposedCalls(known, session);
}

/**
 * Records the reviews of waiting calls by the current policy if they differ from the stored ones. A person is asked
 * about the calls that the log marks, and the policy may have changed since they were stored. `isWaiting` selects the
 * calls; default all that may run.
 */
export function changedReviewDrafts(
  session: Session,
  isWaiting: (call: RunnableCall) => boolean = () => true,
): readonly Draft[] {
  const { agent, journal, mask, tools } = session;
  const pending = journal.timeline.read('pending');
  const calls = pending.flatMap((call, index) => {
    const decision = recoveryDecision(call, tools, pending.slice(0, index));
    return decision.kind === 'run' && isWaiting(decision.call) ? [{ ...decision.call, stored: call.review }] : [];
  });
  const current = mask(reviewCalls(agent, runnableCalls(calls, session)));
  const isRated = current.some(({ verdict, rule }) => verdict !== undefined || rule !== undefined);
  const isKnown = calls.every(({ stored }, index) => isDeepStrictEqual(stored, current[index]));
  if (isKnown || (!isRated && calls.every(({ stored }) => stored === undefined))) return [];
  const reviews = calls.flatMap(({ event }, index) =>
    current[index] ? [{ action_id: event.id, ...current[index] }] : [],
  );
  return [{ make: (stamp) => reviewFact.create({ calls: reviews }, stamp) }];
}
