import { SystemPromptEvent } from '@varve/events/kinds';
import type { BudgetLedger } from '../budget/budget-ledger.ts';
import { stateOf } from '../log/conversation-state.ts';
import { AgentError } from '../error.ts';
import { finalText } from './final-text.ts';
import { endsInReply, isAnswered } from './is-answered.ts';
import { checkLimits } from '../budget/limits.ts';
import { runLoop, type LoopEnd } from './run-loop.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import type { UnderWay } from './run-lock.ts';
import type { Session } from '../session.ts';

/** What stops a run besides its own options. */
export interface Stops {
  /** Returns a signal that aborts after this many milliseconds; default `AbortSignal.timeout`. */
  readonly timeout?: (ms: number) => AbortSignal;
  readonly underWay: UnderWay;
  readonly ledger: BudgetLedger;
  /** Steps after which it pauses; default never. */
  readonly pauseAfter?: number;
}

/**
 * Steps until there is a reason to end, and tells what the conversation has used; at once when there is nothing to go on with.
 *
 * @throws {AgentError} `invalid` for limits that allow nothing, `nothing-to-do` when nobody said anything.
 */
export async function runConversation(session: Session, options: RunOptions, stops: Stops): Promise<RunResult> {
  const end = await steppedTo(session, options, stops);
  const { timeline } = session.journal;
  return { ...end, usage: timeline.read('stats').total, activeMs: timeline.read('activity').ms };
}

/** How the last run ended, where nothing was said or decided since. @throws {AgentError} `nothing-to-do`. */
function endedAlready({ journal, agent, conversationId }: Session): LoopEnd | undefined {
  const { status, pending, lastUserMessageId, view } = stateOf(journal.timeline);
  const waits = status === 'waiting_for_confirmation' && !pending.some((call) => call.approvedDigest !== undefined);
  if (waits) return { reason: 'waiting', iterations: 0 };
  // A branch may begin anew although something was said on another one.
  const isEmpty = lastUserMessageId === undefined || view.events.every((event) => SystemPromptEvent.is(event));
  if (isEmpty && pending.length === 0) {
    throw new AgentError('nothing-to-do', `Conversation ${conversationId} has no message yet: send one first.`);
  }
  if (status === 'finished' && pending.length === 0 && isAnswered(view)) {
    return { reason: 'finished', text: finalText(view), iterations: 0 };
  }
  if (status === 'idle' && agent.textReply === 'wait' && endsInReply(view)) {
    return { reason: 'asked', text: finalText(view), iterations: 0 };
  }
  return undefined;
}

async function steppedTo(
  session: Session,
  { signal, onDelta, onOutput, ...limits }: RunOptions,
  { underWay, ledger, pauseAfter = Infinity, timeout = (ms) => AbortSignal.timeout(ms) }: Stops,
): Promise<LoopEnd> {
  checkLimits(limits);
  const end = endedAlready(session);
  if (end) return end;
  const { budget } = session.agent;
  const { interruption, isPauseRequested } = underWay;
  const time = ledger.timeLeft(limits);
  const outer = ledger.outerRun;
  const deadline = time && time.leftMs > 0 ? timeout(time.leftMs) : undefined;
  const signals = [interruption, signal, outer?.signal, deadline].filter((one) => one !== undefined);
  return runLoop(
    session,
    { signal: AbortSignal.any(signals), ...(onDelta && { onDelta }), ...(onOutput && { onOutput }) },
    {
      ledger: ledger,
      limits: { ...limits, maxIterations: limits.maxIterations ?? budget.maxIterations },
      isPauseRequested: (iterations) => isPauseRequested() || iterations >= pauseAfter,
      overdue: () => {
        if (interruption.aborted || signal?.aborted === true) return undefined;
        return deadline?.aborted === true ? time?.limit : outer?.overdue();
      },
    },
  );
}
