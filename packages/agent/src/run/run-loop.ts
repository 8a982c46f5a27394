import {
  nudgeDraft,
  statusDraft,
  callErrorDraft,
  failureDrafts,
  notStartedMessage,
  type Draft,
} from '../log/drafts.ts';
import type { Session } from '../agent/session.ts';
import { text, type Stamp } from '@varve/events';
import { InterruptEvent, PauseEvent } from '@varve/events/kinds';
import type { ExecutionStatus } from '@varve/events/projections';
import { LlmError } from '@varve/llm';
import type { LimitedRun } from '../budget/budget-ledger.ts';
import type { StepContext } from './step-context.ts';
import { detectLoop, resumeAfterStuckNudge } from '../stuck/detect-loop.ts';
import { overflowVerdict } from '../stuck/overflow-projection.ts';
import type { StuckCause } from '../stuck/stuck-rules.ts';
import { isAnswered, lastAnswer, type FinalAnswer } from './last-reply.ts';
import { leftRun, type RunControl } from './run-lock.ts';
import { sendMessage } from './send-message.ts';
import type { EndReason } from './run-result.ts';
import { step } from './step.ts';

/** Reason of an end with an answer. */
type FinalReason = 'finished' | 'asked';

/** End of the steps of a run, without the totals. */
export type StepsEnd =
  | { readonly reason: Exclude<EndReason, FinalReason | 'waiting' | 'error' | 'stuck'>; readonly iterations: number }
  | { readonly reason: 'waiting'; readonly iterations: number }
  | { readonly reason: 'stuck'; readonly cause: StuckCause; readonly iterations: number }
  | (FinalAnswer & { readonly reason: FinalReason; readonly iterations: number })
  | { readonly reason: 'error'; readonly error: Error; readonly iterations: number };

/** Runs steps until there is a reason to end, and stores that reason. */
export async function runSteps(
  session: Session,
  context: StepContext,
  { isPauseRequested, isLeft, pauseAfter = Infinity }: RunControl,
  overdue: LimitedRun['overdue'],
): Promise<StepsEnd> {
  const { journal, ledger } = session;
  const { signal } = context;
  for (let iterations = 0; ; iterations++) {
    if (signal.aborted) return { reason: await endInterrupted(session, signal, overdue), iterations };
    if (isLeft()) return { reason: 'paused', iterations };
    if (isPauseRequested() || iterations >= pauseAfter) return { reason: await endPaused(session), iterations };
    const limit = ledger.takeStep();
    if (limit) {
      await journal.emit(failureDrafts(limit.code, limit.detail));
      return { reason: limit.reason, iterations };
    }
    const { execution } = journal.timeline.read('status');
    const start = [...startDrafts(execution), ...(iterations === 0 ? await ledger.startWork() : [])];
    if (start.length > 0) await journal.emit(start);
    const loop = await stopIfStuck(session);
    if (loop) return { reason: 'stuck', cause: loop, iterations };
    const outcome = await step(session, context);
    await ledger.reportUsage();
    switch (outcome.kind) {
      case 'continue':
        break;
      case 'asked':
        if (await isContinuedByAnswer(session, context)) break;
        return { reason: 'asked', ...lastAnswer(journal), iterations: iterations + 1 };
      case 'finished':
        if (await deniesEnd(session, signal)) break;
        // A message that was sent during the last step is not answered yet.
        if (!isAnswered(journal.timeline.read('view'))) break;
        return { reason: 'finished', ...lastAnswer(journal), iterations: iterations + 1 };
      case 'waiting':
        return { reason: 'waiting', iterations: iterations + 1 };
      case 'stuck':
        return { reason: 'stuck', cause: outcome.cause, iterations: iterations + 1 };
      case 'aborted':
        return { reason: await endInterrupted(session, signal, overdue), iterations: iterations + 1 };
      case 'failed':
        await journal.emit(failureDrafts(codeOf(outcome.error), outcome.error.message));
        return { reason: 'error', error: outcome.error, iterations: iterations + 1 };
    }
  }
}

/** Stores the answer to the agent's question, and reports whether there is one, or another message in the meantime. */
async function isContinuedByAnswer(session: Session, { onQuestion, signal }: StepContext): Promise<boolean> {
  const { journal } = session;
  const answer = await onQuestion?.(lastAnswer(journal).text, signal);
  if (answer) await sendMessage([text(answer)], session, { rejects: () => 'when-waiting', signal });
  return onQuestion !== undefined && !isAnswered(journal.timeline.read('view'));
}

/** Returns the events that start a run; a run after `stuck` nudges the model not to repeat itself. */
export function startDrafts(before: ExecutionStatus): readonly Draft[] {
  if (before === 'running') return [];
  return [statusDraft('running'), ...(before === 'stuck' ? [nudgeDraft(resumeAfterStuckNudge)] : [])];
}

/** Nudges a model that repeats itself, and stops the run when an earlier nudge did not help. Open calls come first. */
async function stopIfStuck({ agent, journal }: Session): Promise<StuckCause | undefined> {
  const { timeline } = journal;
  if (agent.stuck === 'never' || timeline.read('pending').length > 0) return undefined;
  const overflow = overflowVerdict(timeline.read('overflow'), agent.stuck);
  const verdict = overflow ?? detectLoop(timeline.read('view').events, agent.stuck);
  if (!verdict) return undefined;
  const isStuck = verdict.kind === 'stuck';
  await journal.emit([isStuck ? statusDraft('stuck') : nudgeDraft(verdict.message)]);
  return isStuck ? (overflow ? 'overflows' : 'repeated-calls') : undefined;
}

function codeOf(error: Error): string {
  return error instanceof LlmError ? error.code : error.name;
}

async function endPaused({ journal }: Session): Promise<'paused'> {
  await journal.emit([{ make: (stamp) => PauseEvent.create({}, stamp) }, statusDraft('paused')]);
  return 'paused';
}

const maybeRunningMessage = 'This call was interrupted while it may have been running; its outcome is unknown.';

/**
 * Answers every open call, so that no later run executes what was interrupted, and stores the reason. Of a run that is
 * left nothing is stored: it is continued as after a crash.
 */
async function endInterrupted({ journal }: Session, signal: AbortSignal, overdue: LimitedRun['overdue']) {
  const answers = (): readonly Draft[] =>
    journal.timeline
      .read('pending')
      .map(({ event, hasEffect }) => callErrorDraft(event, hasEffect ? maybeRunningMessage : notStartedMessage));
  const limit = overdue();
  if (limit) {
    await journal.emit(() => [...answers(), ...failureDrafts(limit.code, limit.detail)]);
    return limit.reason;
  }
  if (signal.reason === leftRun) return 'interrupted';
  const end = [{ make: (stamp: Stamp) => InterruptEvent.create({}, stamp) }, statusDraft('paused')];
  await journal.emit(() => [...answers(), ...end]);
  return 'interrupted';
}

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
