import { resolve } from 'node:path';
import { TerminalAction } from '@varve/events/payloads';
import type { Session } from '../../agent/session.ts';
import { isApproved, denialOf, mustWait, withCoveredAction } from '../../confirmation/gate.ts';
import { type ReviewedPending, changedReviewDrafts, reviewPending, type ReplyReviews } from './review-pending.ts';
import { callErrorDraft, rejectionDraft, statusDraft, type Draft } from '../../log/drafts.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { contextDrafts, passHooks, runHooksAfter } from './call-hooks.ts';
import { endsRun } from './ends-run.ts';
import { executeCall, isPending } from './execute-call.ts';
import { recoveryDecision, type RunnableCall } from './recovery.ts';
import { runScheduled, type ScheduledTask } from './scheduler.ts';

/**
 * Completes every pending call: executes those that may run, answers those that must not, and waits where a person must
 * approve. A fresh reply, whose reviews are known, an approval and the resumption after a crash all take this path.
 */
export async function runPending(session: Session, context: StepContext, known?: ReplyReviews): Promise<StepOutcome> {
  const { journal, agent } = session;
  const reviewed = reviewPending(await answerUnrunnable(session, known?.startedId), session, known);
  const allowed = await answerDenied(reviewed, session);
  const { runnable, contexts } = await passHooks(allowed, session, context.signal);
  const unapproved = withoutApproval(runnable, session);
  const mayRun = mustWait(unapproved) ? runnable.filter((call) => !unapproved.includes(call)) : runnable;
  const started = known?.startedId === undefined ? {} : { startedId: known.startedId };
  const end = await executeCalls(mayRun, session, { ...context, ...started, contexts });
  if (end) return { kind: end };
  if (context.signal.aborted) return { kind: 'aborted' };
  const isCurrent = mayRun.length === 0 && agent.policy === session.agent.policy;
  // A person may have approved or rejected the others while the approved calls ran.
  await journal.emit(() => [...contextDrafts(contexts), ...waitingDrafts(unapproved, session, { isCurrent })]);
  return { kind: journal.timeline.read('status').execution === 'waiting_for_confirmation' ? 'waiting' : 'continue' };
}

/** Executes calls as far as they may run concurrently. Returns the end of the run, if one of them ended it. */
async function executeCalls(
  calls: readonly ReviewedPending[],
  session: Session,
  { contexts, startedId, ...context }: StepContext & { readonly startedId?: string; readonly contexts: string[] },
): Promise<'finished' | 'aborted' | undefined> {
  const { journal, agent } = session;
  let end: 'finished' | 'aborted' | undefined;
  const directories = allowedDirectories(calls, session);
  const tasks = calls.map(({ call }): ScheduledTask => ({
    ...exclusionOf(call),
    run: async (failure) => {
      const isStarted = call.event.id === startedId;
      if (context.signal.aborted && !isStarted) return false;
      if (!isPending(journal, call.event)) return true;
      const signal = AbortSignal.any([context.signal, failure]);
      const startDirectories = directories.get(call.event.id);
      const place = startDirectories && { startDirectories };
      const executed = executeCall(call, session, { ...context, signal, isStarted, ...place });
      const outcome = await executed.finally(() => session.executing.delete(call.event.id));
      if (outcome === 'changed') return false;
      if (outcome !== 'done') end ??= outcome;
      contexts.push(...(await runHooksAfter(call, session, context.signal)));
      return outcome === 'done';
    },
  }));
  await runScheduled(tasks, agent.concurrency);
  return end;
}

/**
 * Returns the events that make the calls wait which are still not approved; none if they need not wait. They are
 * reviewed again unless their reviews are current: calls that ran may have left the shell in another directory.
 */
function waitingDrafts(
  unapproved: readonly ReviewedPending[],
  session: Session,
  { isCurrent }: { readonly isCurrent: boolean },
): readonly Draft[] {
  const left = withoutApproval(unapproved, session);
  const waiting = isCurrent
    ? left
    : reviewPending(
        left.map(({ call }) => call),
        session,
      );
  if (!mustWait(waiting)) return [];
  return [...changedReviewDrafts(waiting, session), statusDraft('waiting_for_confirmation')];
}

/** Answers the calls that must not run, and returns the others. This process starts the call `startedId` now. */
async function answerUnrunnable(
  { journal, tools, codec }: Session,
  startedId: string | undefined,
): Promise<readonly RunnableCall[]> {
  const runnable: RunnableCall[] = [];
  await journal.emit(() => {
    const pending = journal.timeline.read('pending').map((call) => withCoveredAction(codec, call));
    const { actions: blocked } = journal.timeline.read('blocked');
    return pending.flatMap((call, index) => {
      // A crash may have lost the answer to a call that a hook blocked.
      const hasEffect = call.hasEffect && call.event.id !== startedId;
      const reason = hasEffect ? undefined : blocked.get(call.event.id);
      if (reason !== undefined) return [rejectionDraft(call.event, reason, 'hook')];
      const decision = recoveryDecision({ ...call, hasEffect }, tools, pending.slice(0, index));
      if (decision.kind === 'answer') return [callErrorDraft(call.event, decision.error)];
      runnable.push(decision.call);
      return [];
    });
  });
  return runnable.filter(({ event }) => isPending(journal, event));
}

/** Answers the calls that the policy denies, also those that were approved, and returns the others. */
async function answerDenied(
  calls: readonly ReviewedPending[],
  { journal }: Session,
): Promise<readonly ReviewedPending[]> {
  const denied = calls.filter(({ review }) => review.denies);
  if (denied.length === 0) return calls;
  await journal.emit(() =>
    denied.flatMap(({ call: { event }, review }) => {
      const reason = isPending(journal, event) ? denialOf(review) : undefined;
      return reason === undefined ? [] : [rejectionDraft(event, reason)];
    }),
  );
  return calls.filter(({ review }) => !review.denies);
}

/** Returns the calls that are still pending and not approved. */
function withoutApproval(calls: readonly ReviewedPending[], { journal, codec }: Session): readonly ReviewedPending[] {
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  return calls.filter(({ call: { event } }) => {
    const stored = pending.get(event.id);
    return stored !== undefined && !isApproved(codec, stored);
  });
}

/**
 * Returns the locks of a call: its resources, or its tool when it names none. A call that ends the run runs alone,
 * after all others.
 */
function exclusionOf({ event, tool, input }: RunnableCall): Omit<ScheduledTask, 'run'> {
  return { locks: tool.resources(input) ?? [`tool:${tool.name}`], isExclusive: endsRun(event.action, tool) };
}

/**
 * Returns the directories in which the commands of calls may start, absolute or below `~`, by the ids of their events:
 * those that a person approved, and those for which a rule allowed the command. Commands about which neither decided
 * may start anywhere.
 */
export function allowedDirectories(
  calls: readonly ReviewedPending[],
  { codec, journal, workspace }: Session,
): ReadonlyMap<string, readonly string[]> {
  const pending = new Map(journal.timeline.read('pending').map((call) => [call.event.id, call]));
  const directoriesOf = ({ call, review }: ReviewedPending): readonly string[] | undefined => {
    if (!TerminalAction.is(call.action)) return undefined;
    const stored = pending.get(call.event.id);
    if (stored && isApproved(codec, stored)) return stored.approvedDirectories ?? [];
    return review.rule === undefined ? undefined : (call.directories ?? []);
  };
  const allowed = calls.flatMap((reviewed) => {
    const directories = directoriesOf(reviewed);
    if (!directories) return [];
    const names = directories.length > 0 ? directories : ['.'];
    const paths = names.map((name) => (name.startsWith('~') ? name : resolve(workspace, name)));
    return [[reviewed.call.event.id, paths] as const];
  });
  return new Map(allowed);
}
