import type { Stamp } from '@varve/events';
import { InterruptEvent, PauseEvent } from '@varve/events/kinds';
import type { ExecutionStatus } from '@varve/events/projections';
import { LlmError } from '@varve/llm';
import type { BudgetLedger } from '../budget/budget-ledger.ts';
import { callErrorDraft, failureDrafts, nudgeDraft, statusDraft, type Draft } from '../log/drafts.ts';
import { finalText } from './final-text.ts';
import { isAnswered } from './is-answered.ts';
import type { Limits } from '../budget/limits.ts';
import type { ReachedLimit } from '../budget/reached-limit.ts';
import type { EndReason } from './run-result.ts';
import type { RunContext, Session } from '../session.ts';
import { step } from './step.ts';
import { overflowVerdict } from '../stuck/overflow-verdict.ts';
import { detectLoop, resumeAfterStuckNudge } from '../stuck/detect-loop.ts';

/** When a loop ends although the work is not done. */
export interface LoopOptions {
  /** What counts its steps, and what they use. */
  readonly ledger: BudgetLedger;
  /** Of this run. */
  readonly limits: Limits & { readonly maxMs?: number };
  readonly isPauseRequested: (iterations: number) => boolean;
  /** The limit whose time is over, when the signal aborted for that. */
  readonly overdue: () => ReachedLimit | undefined;
}

/** How a loop ended, before the figures are added. */
export type LoopEnd =
  | { readonly reason: Exclude<EndReason, 'finished' | 'asked' | 'error'>; readonly iterations: number }
  | { readonly reason: 'finished' | 'asked'; readonly text: string; readonly iterations: number }
  | { readonly reason: 'error'; readonly error: Error; readonly iterations: number };

/** Steps until there is a reason to end, and writes that reason into the log, and how long it took. */
export async function runLoop(session: Session, context: RunContext, options: LoopOptions): Promise<LoopEnd> {
  const { ledger, limits, overdue } = options;
  const { journal } = session;
  const signal = AbortSignal.any([context.signal, journal.lossSignal]);
  ledger.open({ limits, overdue, signal });
  try {
    const end = await steps(session, { ...context, signal }, options);
    await ledger.end();
    return end;
  } catch (error) {
    await journal.resetAfterLoss();
    await ledger.abandon();
    throw error;
  }
}

async function steps(session: Session, context: RunContext, run: LoopOptions): Promise<LoopEnd> {
  const { journal } = session;
  const { ledger } = run;
  const status = (): ReturnType<typeof journal.timeline.read<'status'>> => journal.timeline.read('status');
  for (let iterations = 0; ; iterations++) {
    if (context.signal.aborted) return { reason: await interrupted(session, run), iterations };
    if (run.isPauseRequested(iterations)) return { reason: await paused(session), iterations };
    const limit = ledger.takeStep();
    if (limit) {
      await journal.emit(failureDrafts(limit.code, limit.detail));
      return { reason: limit.reason, iterations };
    }
    const start = [...startDrafts(status().execution), ...(iterations === 0 ? await ledger.startWork() : [])];
    if (start.length > 0) await journal.emit(start);
    if ((await stopIfStuck(session)) === 'stuck') return { reason: 'stuck', iterations };
    const outcome = await step(session, context);
    await ledger.reportUsage();
    switch (outcome.kind) {
      case 'continue':
        break;
      case 'asked':
        return { reason: 'asked', text: finalText(journal.timeline.read('view')), iterations: iterations + 1 };
      case 'finished':
        // A message that came while the last step was under way has not been answered yet.
        if (!isAnswered(journal.timeline.read('view'))) break;
        return { reason: 'finished', text: finalText(journal.timeline.read('view')), iterations: iterations + 1 };
      case 'waiting':
      case 'stuck':
        return { reason: outcome.kind, iterations: iterations + 1 };
      case 'aborted':
        return { reason: await interrupted(session, run), iterations: iterations + 1 };
      case 'failed':
        await journal.emit(failureDrafts(codeOf(outcome.error), outcome.error.message));
        return { reason: 'error', error: outcome.error, iterations: iterations + 1 };
    }
  }
}

/** Who runs a stuck conversation again gives it another chance, and the model is told so. */
function startDrafts(before: ExecutionStatus): readonly Draft[] {
  if (before === 'running') return [];
  return [statusDraft('running'), ...(before === 'stuck' ? [nudgeDraft(resumeAfterStuckNudge)] : [])];
}

/** Tells a model that repeats itself, and ends the run when that did not help. Calls are brought to an end first. */
async function stopIfStuck({ agent, journal }: Session): Promise<'stuck' | undefined> {
  if (agent.stuck === 'never' || journal.timeline.read('pending').length > 0) return undefined;
  const { timeline } = journal;
  const verdict =
    overflowVerdict(timeline.read('overflow'), agent.stuck) ?? detectLoop(timeline.read('view').events, agent.stuck);
  if (!verdict) return undefined;
  const isStuck = verdict.kind === 'stuck';
  await journal.emit([isStuck ? statusDraft('stuck') : nudgeDraft(verdict.message)]);
  return isStuck ? 'stuck' : undefined;
}

function codeOf(error: Error): string {
  return error instanceof LlmError ? error.code : error.name;
}

async function paused({ journal }: Session): Promise<'paused'> {
  await journal.emit([{ make: (stamp) => PauseEvent.create({}, stamp) }, statusDraft('paused')]);
  return 'paused';
}

/** Answers every open call, so that no later run executes what was interrupted. */
async function interrupted({ journal }: Session, { overdue }: LoopOptions) {
  const answers = (): readonly Draft[] =>
    journal.timeline
      .read('pending')
      .map(({ event, hasEffect }) =>
        callErrorDraft(
          event,
          hasEffect
            ? 'This call was interrupted while it may have been running; its outcome is unknown.'
            : 'This call was interrupted before it started.',
        ),
      );
  const limit = overdue();
  if (limit) {
    await journal.emit(() => [...answers(), ...failureDrafts(limit.code, limit.detail)]);
    return limit.reason;
  }
  const end = [{ make: (stamp: Stamp) => InterruptEvent.create({}, stamp) }, statusDraft('paused')];
  await journal.emit(() => [...answers(), ...end]);
  return 'interrupted';
}
