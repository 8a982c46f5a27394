import { CondensationRequest } from '@varve/events/kinds';
import { AgentError } from '../error.ts';
import { condensationFor } from '../run/condense.ts';
import type { Session } from '../session.ts';

/**
 * Condenses the view on demand. Returns false if nothing can be condensed. No call is executed, and the agent's model
 * is not asked.
 *
 * @throws {AgentError} `pending` while calls are open; {@link CondenserError} what the condenser throws.
 * @see software-agent-sdk condense (which executes pending calls and may ask the model instead)
 */
export async function condenseNow(session: Session, signal: AbortSignal): Promise<boolean> {
  const { journal, conversationId } = session;
  if (journal.timeline.read('pending').length > 0) {
    throw new AgentError('pending', `Conversation ${conversationId} has open calls, so it cannot be condensed.`);
  }
  const view = { ...journal.timeline.read('view'), isCondensationRequested: true };
  const plan = await condensationFor(view, session, signal);
  if (plan === undefined || plan === 'exhausted') return false;
  await journal.emit([{ make: (stamp) => CondensationRequest.create({}, stamp) }, plan]);
  return true;
}
