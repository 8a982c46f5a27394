import type { CallReview } from '@varve/events/facts';
import { denialOf, isApproved, mustWait, reviewCalls } from '../../confirmation/gate.ts';
import { callErrorDraft, rejectionDraft, statusDraft, type Draft } from '../../log/drafts.ts';
import type { Session } from '../../agent/session.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { hookRejectionDraft } from '../../hooks/hook-drafts.ts';
import { allowedDirectories } from './allowed-directories.ts';
import { contextDrafts, passHooks, runHooksAfter } from './call-hooks.ts';
import { changedReviewDrafts, runnableCalls } from './changed-reviews.ts';
import { endsRun } from './ends-run.ts';
import { executeCall, isPending } from './execute-call.ts';
import { recoveryDecision, type RunnableCall } from './recovery.ts';
import { runScheduled, type ScheduledTask } from './scheduler.ts';

/**
 * Completes every pending call: executes those that may run, answers those that must not, and waits where a person must
 * approve. A fresh reply, an approval and the resumption after a crash all take this path.
 */
export async function runPending(session: Session, context: StepContext): Promise<StepOutcome> {
  const { journal, agent } = session;
  const executable = await answerUnrunnable(session);
  const reviews = reviewCalls(agent, runnableCalls(executable, session));
  const allowed = await answerDenied(executable, reviews, session);
  const { runnable, contexts } = await passHooks(allowed, session, context.signal);
  const unapproved = withoutApproval(runnable, session);
  const isWaiting = mustWait(runnableCalls(unapproved, session), (index) => {
    const call = unapproved[index];
    return call && reviews[executable.indexOf(call)];
  });
  const mayRun = isWaiting ? runnable.filter((call) => !unapproved.includes(call)) : runnable;
  let end: 'finished' | 'aborted' | undefined;
  const reviewed = mayRun.map((call) => reviews[executable.indexOf(call)]);
  const directories = allowedDirectories(mayRun, reviewed, session);
  const tasks = mayRun.map((call): ScheduledTask => ({
    ...exclusionOf(call),
    run: async (failure) => {
      if (context.signal.aborted) return false;
      if (!isPending(journal, call.event)) return true;
      const signal = AbortSignal.any([context.signal, failure]);
      const startDirectories = directories.get(call.event.id);
      const place = startDirectories && { startDirectories };
      const outcome = await executeCall(call, session, { ...context, signal, ...place });
      if (outcome !== 'done') end ??= outcome;
      contexts.push(...(await runHooksAfter(call, session, context.signal)));
      return outcome === 'done';
    },
  }));
  await runScheduled(tasks, agent.concurrency);
  if (end) return { kind: end };
  if (context.signal.aborted) return { kind: 'aborted' };
  // A person may have approved or rejected the others while the approved calls ran.
  await journal.emit(() => [...contextDrafts(contexts), ...waitingDrafts(unapproved, session)]);
  return { kind: journal.timeline.read('status').execution === 'waiting_for_confirmation' ? 'waiting' : 'continue' };
}

/** Returns the events that make the calls wait which are still not approved; none if they need not wait. */
function waitingDrafts(unapproved: readonly RunnableCall[], session: Session): readonly Draft[] {
  const waiting = withoutApproval(unapproved, session);
  const calls = runnableCalls(waiting, session);
  const reviews = reviewCalls(session.agent, calls);
  if (!mustWait(calls, (index) => reviews[index])) return [];
  const ids = new Set(waiting.map(({ event }) => event.id));
  return [...changedReviewDrafts(session, ({ event }) => ids.has(event.id)), statusDraft('waiting_for_confirmation')];
}

/** Answers the calls that must not run, and returns the others. */
async function answerUnrunnable({ journal, tools }: Session): Promise<readonly RunnableCall[]> {
  const runnable: RunnableCall[] = [];
  await journal.emit(() => {
    const pending = journal.timeline.read('pending');
    const { actions: blocked } = journal.timeline.read('blocked');
    return pending.flatMap((call, index) => {
      // A crash may have lost the answer to a call that a hook blocked.
      const reason = call.hasEffect ? undefined : blocked.get(call.event.id);
      if (reason !== undefined) return [hookRejectionDraft(call.event, reason)];
      const decision = recoveryDecision(call, tools, pending.slice(0, index));
      if (decision.kind === 'answer') return [callErrorDraft(call.event, decision.error)];
      runnable.push(decision.call);
      return [];
    });
  });
  return runnable.filter(({ event }) => isPending(journal, event));
}

/** Answers the calls that the policy denies, also those that were approved, and returns the others. */
async function answerDenied(
  calls: readonly RunnableCall[],
  reviews: readonly CallReview[],
  { journal }: Session,
): Promise<readonly RunnableCall[]> {
  const reasons = new Map(
    calls.flatMap((call, index) => {
      const reason = reviews[index] && denialOf(reviews[index]);
      return reason === undefined ? [] : [[call, reason]];
    }),
  );
  if (reasons.size === 0) return calls;
  await journal.emit(() =>
    [...reasons].flatMap(([{ event }, reason]) => (isPending(journal, event) ? [rejectionDraft(event, reason)] : [])),
  );
  return calls.filter((call) => !reasons.has(call));
}

/** Returns the calls that are still pending and not approved. */
function withoutApproval(calls: readonly RunnableCall[], { journal, codec }: Session): readonly RunnableCall[] {
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  return calls.filter(({ event }) => {
    const call = pending.get(event.id);
    return call !== undefined && !isApproved(codec, call);
  });
}

/**
 * Returns the locks of a call: its resources, or its tool when it names none. A call that ends the run runs alone,
 * after all others.
 */
function exclusionOf({ event, tool, input }: RunnableCall): Omit<ScheduledTask, 'run'> {
  return { locks: tool.resources(input) ?? [`tool:${tool.name}`], isExclusive: endsRun(event.action, tool) };
}
