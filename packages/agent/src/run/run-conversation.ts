import { SystemPromptEvent } from '@varve/events/kinds';
import { withoutUndefined } from '@varve/text';
import { callsDigest } from '../confirmation/gate.ts';
import type { LimitedRun } from '../budget/budget-ledger.ts';
import { checkLimits, type Limits } from '../budget/limits.ts';
import { changedReviewDrafts, reviewAllPending } from './calls/review-pending.ts';
import { AgentError } from '../error.ts';
import { stateOf } from '../log/conversation-state.ts';
import type { Session } from '../agent/session.ts';
import type { StepContext } from './step-context.ts';
import { endsInReply, isAnswered, lastAnswer } from './last-reply.ts';
import { evidenceOf } from './evidence.ts';
import type { RunControl } from './run-lock.ts';
import { runSteps, type StepsEnd, deniesEnd } from './run-loop.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { withoutAnswer } from './without-answer.ts';

/**
 * Runs a conversation until there is a reason to end; immediately if nothing happened since it ended.
 *
 * @throws {AgentError} `invalid` for limits that allow nothing, `nothing-to-do` without a message.
 */
export async function runConversation(
  session: Session,
  { signal, onDelta, onOutput, onChildWaiting, askOutside, onQuestion, ...limits }: RunOptions,
  control: RunControl,
): Promise<RunResult> {
  checkLimits(limits);
  const { journal, ledger } = session;
  const ended = endOfLastRun(session);
  if (ended?.reason === 'waiting') await journal.emit(() => changedReviewDrafts(reviewAllPending(session), session));
  const aborts = AbortSignal.any([control.interruption, ...(signal ? [signal] : [])]);
  // A crash may have prevented the decision of hooks about the end.
  if (ended && !(ended.reason === 'finished' && (await deniesEnd(session, aborts)))) return withTotals(ended, session);
  const { drafts } = await session.hooks.start(aborts);
  if (drafts.length > 0) await journal.emit(drafts);
  const failure = new AbortController();
  const run = limitedRun(session, limits, { interruption: control.interruption, failure: failure.signal, signal });
  const context: StepContext = {
    signal: run.signal,
    ...withoutUndefined({ onDelta, onOutput, onQuestion, askOutside }),
    sawLatestUserMessage: () => isAnswered(journal.timeline.read('view')),
  };
  session.onChildWaiting = onChildWaiting;
  ledger.open(run);
  try {
    const end = await runSteps(session, context, control, run.overdue);
    await ledger.end();
    return withTotals(end, session);
  } catch (error) {
    // Ends the runs of its children.
    failure.abort(error);
    // Events that reached the log although their append failed are part of the state that a caller reads.
    await journal.catchUp().catch(() => undefined);
    await ledger.abandon();
    throw error;
  }
}

function withTotals(end: StepsEnd, { journal: { timeline }, codec }: Session): RunResult {
  const calls = timeline.read('pending');
  const text = 'text' in end ? end.text : withoutAnswer(end, calls);
  const totals = {
    text,
    evidence: evidenceOf(timeline.read('evidence'), 'text' in end ? text : ''),
    usage: timeline.read('stats').total,
    activeMs: timeline.read('activity').ms,
  };
  if (end.reason !== 'waiting') return { ...end, ...totals };
  return { ...end, calls, digest: callsDigest(codec, calls), ...totals };
}

/** Returns the end of the last run if nothing happened since. @throws {AgentError} `nothing-to-do`. */
export function endOfLastRun({ journal, agent, conversationId }: Session): StepsEnd | undefined {
  const { status, pending, lastUserMessageId, view } = stateOf(journal.timeline);
  const isWaiting = status === 'waiting_for_confirmation' && !pending.some((call) => call.approvedDigest !== undefined);
  if (isWaiting) return { reason: 'waiting', iterations: 0 };
  // A branch may be empty although another one has a message.
  const isEmpty = lastUserMessageId === undefined || view.events.every((event) => SystemPromptEvent.is(event));
  if (isEmpty && pending.length === 0) {
    throw new AgentError('nothing-to-do', `Conversation ${conversationId} has no message yet: send one first.`);
  }
  if (status === 'finished' && pending.length === 0 && isAnswered(view)) {
    return { reason: 'finished', ...lastAnswer(journal), iterations: 0 };
  }
  if (status === 'idle' && agent.textReply === 'wait' && endsInReply(view)) {
    return { reason: 'asked', ...lastAnswer(journal), iterations: 0 };
  }
  return undefined;
}

/** Signals that stop a run. */
interface RunSignals {
  readonly interruption: AbortSignal;
  /** Aborts when the run rejects. */
  readonly failure: AbortSignal;
  readonly signal: AbortSignal | undefined;
}

/**
 * Combines everything that stops the run: its options, the conversation's budget, the parent's run and a lost lease.
 */
function limitedRun(
  { ledger, agent, timeout }: Session,
  limits: Limits,
  { interruption, failure, signal }: RunSignals,
): LimitedRun {
  const time = ledger.timeLeft(limits);
  const outer = ledger.outerRun;
  const deadline = time && time.leftMs > 0 ? timeout(time.leftMs) : undefined;
  const signals = [interruption, failure, signal, outer?.signal, deadline];
  return {
    limits: { ...limits, maxIterations: limits.maxIterations ?? agent.budget.maxIterations },
    signal: AbortSignal.any(signals.filter((each) => each !== undefined)),
    overdue: () => {
      if (interruption.aborted || signal?.aborted === true) return undefined;
      return deadline?.aborted === true ? time?.limit : outer?.overdue();
    },
  };
}
