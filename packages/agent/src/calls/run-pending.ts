import { FinishAction } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { Tool } from '@varve/tools';
import { callErrorDraft, statusDraft } from '../log/drafts.ts';
import { executeCall, isPending } from './execute-call.ts';
import { isApproved, mustWait } from '../confirmation/gate.ts';
import type { ReplyRunContext, Session, StepOutcome } from '../session.ts';
import { runScheduled, type ScheduledTask } from './scheduler.ts';
import { recoveryDecision } from './recovery.ts';

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
  const judged = () => {
    const pending = journal.timeline.read('pending');
    return pending.map((call, index) => ({ call, verdict: recoveryDecision(call, tools, pending.slice(0, index)) }));
  };
  await journal.emit(() =>
    judged().flatMap(({ call, verdict }) =>
      verdict.kind === 'answer' ? [callErrorDraft(call.event, verdict.error)] : [],
    ),
  );
  const runnable = judged().flatMap(({ call, verdict }): readonly Runnable[] =>
    verdict.kind === 'run' ? [{ call, tool: verdict.tool }] : [],
  );
  const unapproved = runnable.filter(({ call }) => !isApproved(codec, call));
  const waits = mustWait(agent.confirmation, unapproved.flatMap(proposed));
  const mayRun = waits ? runnable.filter((one) => !unapproved.includes(one)) : runnable;
  let end: 'finished' | 'aborted' | undefined;
  const tasks = mayRun.map((one): ScheduledTask => ({
    ...exclusionOf(one),
    run: async (failure) => {
      if (context.signal.aborted) return false;
      if (!isPending(journal, one.call.event)) return true;
      const signal = AbortSignal.any([context.signal, failure]);
      const outcome = await executeCall(one.call.event, one.tool, { ...session, ...context, signal });
      if (outcome !== 'done') end ??= outcome;
      return outcome === 'done';
    },
  }));
  await runScheduled(tasks, agent.concurrency);
  if (end) return { kind: end };
  if (context.signal.aborted) return { kind: 'aborted' };
  // While the approved ones ran somebody may have decided about the others too.
  const stillWaits = (): boolean => mustWait(agent.confirmation, undecided(unapproved, session).flatMap(proposed));
  await journal.emit(() => (stillWaits() ? [statusDraft('waiting_for_confirmation')] : []));
  return { kind: journal.timeline.read('status').execution === 'waiting_for_confirmation' ? 'waiting' : 'continue' };
}

/** Those that were neither answered nor allowed by now. */
function undecided(calls: readonly Runnable[], { journal, codec }: Session): readonly Runnable[] {
  const open = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  return calls.filter(({ call: { event } }) => {
    const now = open.get(event.id);
    return now !== undefined && !isApproved(codec, now);
  });
}

/** What a call must not run beside: others of the same tool, unless it says what it touches; `finish` comes after all. */
function exclusionOf({ call: { event }, tool }: Runnable): Omit<ScheduledTask, 'run'> {
  const resources = event.action && tool.resources(tool.fromAction(event.action));
  return { locks: resources ?? [`tool:${tool.name}`], isExclusive: FinishAction.is(event.action) };
}

function proposed({ call: { event }, tool }: Runnable) {
  return event.action ? [{ tool, action: event.action, risk: event.security_risk }] : [];
}
