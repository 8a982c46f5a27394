import { statusDraft } from '../log/drafts.ts';
import { AgentError } from '../error.ts';
import { rejectionDrafts } from './user-message.ts';
import type { Session } from '../session.ts';

/** Refuses every pending call that has not begun. @throws {AgentError} `nothing-pending`. */
export async function rejectCalls(reason: string, session: Session): Promise<void> {
  const { journal, conversationId } = session;
  await journal.emit(() => {
    const refused = rejectionDrafts(session, reason);
    if (refused.length === 0) {
      throw new AgentError('nothing-pending', `Conversation ${conversationId} has no pending call.`);
    }
    const waits = journal.timeline.read('status').execution === 'waiting_for_confirmation';
    return [...refused, ...(waits ? [statusDraft('idle')] : [])];
  });
}
