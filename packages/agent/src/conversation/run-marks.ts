import { CondensationRequest, PauseEvent } from '@varve/events/kinds';
import { failureDrafts, statusDraft, type Draft } from '../log/drafts.ts';
import { endOfLastRun } from '../run/run-conversation.ts';
import { startDrafts } from '../run/run-loop.ts';
import type { Session } from '../agent/session.ts';

/**
 * Mark of a run that an application stores outside of it. `requested`: the status is `running` before the run starts,
 * so that a process that opens the conversation after a crash continues it. `paused`: a pause without a run.
 * `condensation`: the next step condenses the view. A failure: the run rejected, and its log does not contain why.
 */
export type RunMark = 'requested' | 'paused' | 'condensation' | { readonly code: string; readonly detail: string };

/**
 * Stores a mark. Returns false, and stores nothing, where it has no meaning: a request for a run that would end
 * immediately, a pause unless the status is `idle` or `running`, a failure unless it is `running`.
 *
 * @throws {AgentError} `nothing-to-do` for a request without a message.
 * @see software-agent-sdk pause
 */
export async function markRun(mark: RunMark, session: Session): Promise<boolean> {
  if (mark === 'requested' && endOfLastRun(session)) return false;
  const events = await session.journal.emit(() => draftsOf(mark, session));
  return mark === 'requested' || events.length > 0;
}

function draftsOf(mark: RunMark, { journal }: Session): readonly Draft[] {
  const { execution } = journal.timeline.read('status');
  if (mark === 'requested') return startDrafts(execution);
  if (mark === 'condensation') return [{ make: (stamp) => CondensationRequest.create({}, stamp) }];
  if (mark !== 'paused') return execution === 'running' ? failureDrafts(mark.code, mark.detail) : [];
  if (execution !== 'idle' && execution !== 'running') return [];
  return [{ make: (stamp) => PauseEvent.create({}, stamp) }, statusDraft('paused')];
}
