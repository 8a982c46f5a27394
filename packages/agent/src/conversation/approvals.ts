import { approvalFact } from '@varve/events/facts';
import type { PendingCall } from '@varve/events/projections';
import { approvalDigest } from '../confirmation/gate.ts';
import { AgentError } from '../error.ts';
import { rejectionDraft, statusDraft, type Draft } from '../log/drafts.ts';
import type { Session } from '../session.ts';

/** Approved calls, and who approved them. */
export interface Approval {
  /** Ids of action events; default all pending calls. */
  readonly actionIds?: readonly string[];
  /** Default `user`. */
  readonly by?: string;
}

/**
 * Approves pending calls with their exact stored bytes.
 *
 * @throws {AgentError} `nothing-pending` when an id names no pending call, or no call is pending.
 */
export async function approveCalls({ actionIds, by = 'user' }: Approval, session: Session): Promise<void> {
  const { journal, codec, now } = session;
  await journal.emit(() =>
    selectPending(session, actionIds).map(({ event }): Draft => {
      const value = { action_id: event.id, digest: approvalDigest(codec, event), by, at: now() };
      return { make: (stamp) => approvalFact.create(value, stamp) };
    }),
  );
}

/** Rejects every pending call that has not started. @throws {AgentError} `nothing-pending`. */
export async function rejectCalls(reason: string, session: Session): Promise<void> {
  const { journal, conversationId } = session;
  await journal.emit(() => {
    const rejected = rejectionDrafts(session, reason);
    if (rejected.length === 0) {
      throw new AgentError('nothing-pending', `Conversation ${conversationId} has no pending call.`);
    }
    const isWaiting = journal.timeline.read('status').execution === 'waiting_for_confirmation';
    return [...rejected, ...(isWaiting ? [statusDraft('idle')] : [])];
  });
}

/** Returns rejections of the calls that have not started: a started call may have run, so it cannot be rejected. */
export function rejectionDrafts({ journal }: Session, reason: string): readonly Draft[] {
  const notStarted = journal.timeline.read('pending').filter(({ hasEffect }) => !hasEffect);
  return notStarted.map(({ event }) => rejectionDraft(event, reason));
}

function selectPending({ journal, conversationId }: Session, actionIds?: readonly string[]): readonly PendingCall[] {
  const pending = journal.timeline.read('pending');
  const unknown = actionIds?.find((id) => !pending.some(({ event }) => event.id === id));
  if (unknown !== undefined || pending.length === 0) {
    const what = unknown === undefined ? 'no pending call' : `no pending call ${unknown}`;
    throw new AgentError('nothing-pending', `Conversation ${conversationId} has ${what}.`);
  }
  return actionIds ? pending.filter(({ event }) => actionIds.includes(event.id)) : pending;
}
