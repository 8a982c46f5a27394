import { CondensationRequest } from '@varve/events/kinds';
import { AgentError } from '../error.ts';
import { condensationFor, resetDrafts } from '../run/condense.ts';
import type { Session } from '../agent/session.ts';

/** Options of `Conversation.condense`. */
export interface CondenseOptions {
  /** What a summary should preserve above all, in the words of a person. Blank means nothing in particular. */
  readonly focus?: string;
}

/**
 * Condenses the view for `Conversation.condense`. When it throws, the view stays as it is.
 *
 * @see software-agent-sdk condense (which executes pending calls and may ask the model instead)
 */
export async function condenseNow(
  { focus = '' }: CondenseOptions,
  session: Session,
  signal: AbortSignal,
): Promise<boolean> {
  const { journal, conversationId } = session;
  if (journal.timeline.read('pending').length > 0) {
    throw new AgentError('pending', `Conversation ${conversationId} has open calls, so it cannot be condensed.`);
  }
  const view = { ...journal.timeline.read('view'), isCondensationRequested: true };
  const options = focus.trim() === '' ? {} : { focus: focus.trim() };
  // The person can try again: events without a summary would be lost to the model for nothing.
  const result = await condensationFor(view, session, { signal, ...options, needsSummary: true });
  if (result.kind === 'failed') {
    await journal.emit(result.drafts);
    throw result.error;
  }
  const drafts = result.kind === 'condensed' ? result.drafts : resetDrafts(view, session, options);
  if (!drafts) return false;
  await journal.emit([{ make: (stamp) => CondensationRequest.create({}, stamp) }, ...drafts]);
  return true;
}
