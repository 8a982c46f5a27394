import { ObservationEvent } from '@varve/events/kinds';
import { nudgeDraft, rejectionDraft, type Draft } from '../../log/drafts.ts';
import type { Session } from '../../agent/session.ts';
import { isPending } from './execute-call.ts';
import type { RunnableCall } from './recovery.ts';
import type { ReviewedPending } from './review-pending.ts';

/** Calls that hooks let pass, and texts of hooks for the model, which the caller may extend. */
export interface PassedCalls {
  readonly runnable: readonly ReviewedPending[];
  readonly contexts: string[];
}

/**
 * Runs the hooks before each call, one after the other, and answers the calls that they block in the append that
 * records the decision. A call passes once per process: after a restart the hooks run again. When the signal aborts,
 * the calls without a decision are left out.
 */
export async function passHooks(
  calls: readonly ReviewedPending[],
  { hooks, journal }: Session,
  signal: AbortSignal,
): Promise<PassedCalls> {
  const runnable: ReviewedPending[] = [];
  const contexts: string[] = [];
  for (const reviewed of calls) {
    const event = { ...reviewed.call.event, action: reviewed.call.action };
    if (!hooks.isUndecided(event)) {
      runnable.push(reviewed);
      continue;
    }
    const verdict = await hooks.beforeCall(event, signal);
    const { blocked } = verdict;
    await journal.emit(() => [
      ...verdict.drafts,
      ...(blocked !== undefined && isPending(journal, event) ? [rejectionDraft(event, blocked, 'hook')] : []),
    ]);
    if (verdict.isAborted) break;
    contexts.push(...verdict.contexts);
    if (blocked !== undefined) continue;
    hooks.pass(event);
    if (isPending(journal, event)) runnable.push(reviewed);
  }
  return { runnable, contexts };
}

/** Runs the hooks after a call that has an observation. Returns their texts for the model. */
export async function runHooksAfter(
  { event }: RunnableCall,
  { hooks, journal }: Session,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (signal.aborted || !hooks.has('PostToolUse', event.tool_name)) return [];
  const result = journal.timeline.read('view').events.findLast((later) => isResultOf(later, event.id));
  if (!result || !ObservationEvent.is(result)) return [];
  const { drafts, contexts } = await hooks.afterCall(event, result, signal);
  await journal.emit(drafts);
  return contexts;
}

function isResultOf(event: Parameters<typeof ObservationEvent.is>[0], actionId: string): boolean {
  return ObservationEvent.is(event) && event.action_id === actionId;
}

/** Returns the message to the model with the texts of hooks; none without texts. */
export function contextDrafts(contexts: readonly string[]): readonly Draft[] {
  return contexts.length === 0 ? [] : [nudgeDraft(`Hooks of this workspace add: ${contexts.join('\n')}`)];
}
