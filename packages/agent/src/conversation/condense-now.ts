import { CondensationRequest } from '@varve/events/kinds';
import { condensationFor } from '../run/condense.ts';
import { AgentError } from '../error.ts';
import type { Session } from '../session.ts';

/**
 * Makes the view smaller because somebody asks for it, and tells whether it could. Nothing is executed and the model of the
 * agent is not asked.
 *
 * @throws {AgentError} `pending` while calls are open; {@link CondenserError} what the condenser throws.
 * @see software-agent-sdk condense (which carries out pending calls and may ask the model instead)
 */
export async function condenseNow(session: Session, signal: AbortSignal): Promise<boolean> {
  const { journal, agent, conversationId } = session;
  if (journal.timeline.read('pending').length > 0) {
    throw new AgentError('pending', `Conversation ${conversationId} has open calls, so nothing of it can be left out.`);
  }
  const view = { ...journal.timeline.read('view'), isCondensationRequested: true };
  const plan = await condensationFor(view, {
    condenser: agent.condenser,
    signal,
    contextWindow: agent.model.capabilities.contextWindow,
    newId: () => journal.newId(),
  });
  if (plan === undefined || plan === 'exhausted') return false;
  await journal.emit([{ make: (stamp) => CondensationRequest.create({}, stamp) }, plan]);
  return true;
}
