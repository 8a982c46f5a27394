import type { PendingCall } from '@varve/events/projections';
import type { Tool } from '@varve/tools';
import { callErrorDraft, statusDraft } from './drafts.ts';
import { executeCall, isPending } from './execute-call.ts';
import { isApproved, mustWait } from './gate.ts';
import type { ReplyRunContext, Session, StepOutcome } from './session.ts';
import { judge } from './unanswered.ts';

interface Runnable {
  readonly call: PendingCall;
  readonly tool: Tool;
}

/**
 * Brings every unanswered call to an end: runs what may run, answers what must not, and waits where a person has to allow
 * it. The same path serves a fresh reply, an approval, and what a crash left behind.
 */
export async function runPending(session: Session, context: ReplyRunContext): Promise<StepOutcome> {
  const { journal, tools, codec, agent } = session;
  const runnable: Runnable[] = [];
  const answers = [];
  for (const call of journal.timeline.read('pending')) {
    const verdict = judge(call, tools);
    if (verdict.kind === 'run') runnable.push({ call, tool: verdict.tool });
    else answers.push(callErrorDraft(call.event, verdict.error));
  }
  if (answers.length > 0) await journal.emit(answers);
  const unapproved = runnable.filter(({ call }) => !isApproved(codec, call));
  const waits = mustWait(agent.confirmation, unapproved.flatMap(proposed));
  for (const { call, tool } of runnable) {
    if (waits && unapproved.some((other) => other.call === call)) continue;
    if (context.signal.aborted) return { kind: 'aborted' };
    if (!isPending(journal, call.event)) continue;
    const outcome = await executeCall(call.event, tool, { ...session, ...context });
    if (outcome === 'finished') return { kind: 'finished' };
    if (outcome === 'aborted') return { kind: 'aborted' };
  }
  if (context.signal.aborted) return { kind: 'aborted' };
  if (!waits) return { kind: 'continue' };
  if (journal.timeline.read('status').execution !== 'waiting_for_confirmation') {
    await journal.emit([statusDraft('waiting_for_confirmation')]);
  }
  return { kind: 'waiting' };
}

function proposed({ call: { event }, tool }: Runnable) {
  return event.action ? [{ tool, action: event.action, risk: event.security_risk }] : [];
}
