import { approvalFact } from '@varve/events/facts';
import type { PendingCall } from '@varve/events/projections';
import { AgentError } from '../error.ts';
import { approvalDigest } from '../confirmation/gate.ts';
import type { Draft } from '../log/drafts.ts';
import type { Session } from '../session.ts';

/** Which pending calls are allowed, and by whom. */
export interface Approval {
  /** Ids of their action events; default all. */
  readonly actionIds?: readonly string[];
  /** Default `user`. */
  readonly by?: string;
}

/**
 * Allows pending calls exactly as they stand.
 *
 * @throws {AgentError} `nothing-pending` when an id names no pending call, or there is none.
 */
export async function approveCalls({ actionIds, by = 'user' }: Approval, session: Session): Promise<void> {
  const { journal, codec, now } = session;
  await journal.emit(() =>
    chosen(session, actionIds).map(({ event }): Draft => {
      const value = { action_id: event.id, digest: approvalDigest(codec, event), by, at: now() };
      return { make: (stamp) => approvalFact.create(value, stamp) };
    }),
  );
}

function chosen({ journal, conversationId }: Session, actionIds?: readonly string[]): readonly PendingCall[] {
  const pending = journal.timeline.read('pending');
  const unknown = actionIds?.find((id) => !pending.some(({ event }) => event.id === id));
  if (unknown !== undefined || pending.length === 0) {
    const what = unknown === undefined ? 'no pending call' : `no pending call ${unknown}`;
    throw new AgentError('nothing-pending', `Conversation ${conversationId} has ${what}.`);
  }
  return actionIds ? pending.filter(({ event }) => actionIds.includes(event.id)) : pending;
}
