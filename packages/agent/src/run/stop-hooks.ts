import { nudgeDraft, statusDraft } from '../log/drafts.ts';
import type { Session } from '../agent/session.ts';

/** Number of denials after one message of the user from which on the work may end. */
const maxStopDenials = 5;

/**
 * Runs the Stop hooks of work that is finished, unless they decided about this end already. When one denies the end,
 * its reason is a message to the model, the status is `running`, and the result is true.
 */
export async function deniesEnd({ hooks, journal }: Session, signal: AbortSignal): Promise<boolean> {
  const { denials, isDecided } = journal.timeline.read('stops');
  if (!hooks.has('Stop') || isDecided || denials >= maxStopDenials) return false;
  const { drafts, blocked, contexts, isAborted } = await hooks.beforeStop(signal);
  const isDenied = blocked !== undefined && !isAborted;
  const feedback = contexts.length > 0 ? contexts.join('\n') : (blocked ?? '');
  // The status first: a crash within the append then leaves work that continues, and asks the hooks again.
  await journal.emit(
    isDenied
      ? [statusDraft('running'), ...drafts, nudgeDraft(`A hook did not accept the end of the work: ${feedback}`)]
      : drafts,
  );
  return isDenied;
}
