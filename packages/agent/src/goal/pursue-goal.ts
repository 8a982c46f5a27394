import { text } from '@varve/events';
import { LlmError, type LanguageModel } from '@varve/llm';
import { StorageError } from '@varve/storage';
import { sendMessage } from '../run/send-message.ts';
import { AgentError } from '../error.ts';
import { isAnswered } from '../run/last-reply.ts';
import { runConversation } from '../run/run-conversation.ts';
import type { RunControl } from '../run/run-lock.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { EndReason, RunResult } from '../run/run-result.ts';
import type { Session } from '../agent/session.ts';
import { goalDraft, type GoalState, type GoalVerdict } from '../log/projections/goal-projection.ts';
import { judgeGoal, type JudgeOptions } from './judge-goal.ts';

/** Options of the loop that pursues a goal. */
export interface PursueOptions {
  /** Model that judges each round; default the agent's. Its usage counts under `judge`. */
  readonly judge?: LanguageModel;
  /** Options of each run; its limits apply to each round. */
  readonly run?: RunOptions;
}

/** End of a goal's loop. */
export interface GoalResult {
  readonly goal: GoalState;
  /** Result of the last run. */
  readonly run: RunResult;
  /** Error of the judge, if it ended the loop. */
  readonly error?: LlmError;
}

/** First step of a loop. */
export interface GoalStart {
  readonly goal: GoalState;
  /** Message that begins the work; absent to continue a run that was cut off. */
  readonly message?: string;
  /** The goal is stored as running; nothing of it is sent if it was interrupted since. */
  readonly isRequested?: boolean;
}

/** Ends of a run after which its work is judged. A run that was stuck is judged too: the next message may help. */
const judgedEnds = new Set<EndReason>(['finished', 'asked', 'stuck']);

/** Ends of a run on request. */
const stoppedEnds = new Set<EndReason>(['paused', 'interrupted']);

/**
 * Runs and judges a conversation until the judge accepts its work, the maximum number of rounds was judged, or the goal
 * is interrupted. A message of the user that interrupts it is answered first.
 */
export async function pursueGoal(
  { goal, message, isRequested = false }: GoalStart,
  { judge, run: options = {} }: PursueOptions,
  session: Session,
  control: RunControl,
): Promise<GoalResult> {
  const { goals, journal } = session;
  // A goal that another process left is stored as interrupted before this one resumes it.
  await journal.emitPreamble();
  const isWanted = !isRequested || goals.isRunning;
  const cancelled = goals.begin();
  const signal = AbortSignal.any([control.interruption, cancelled, ...(options.signal ? [options.signal] : [])]);
  try {
    if (!isWanted) goals.cancelIfEnded();
    else if (message === undefined) await journal.emit([goalDraft(goal)]);
    else await sendGoal({ goal, message }, session, control.interruption);
    for (;;) {
      const run = await runConversation(session, options, control);
      const isJudged = judgedEnds.has(run.reason);
      const error = isJudged ? await judgeRound(session, { ...(judge && { judge }), signal }) : undefined;
      const isCut = error?.code === 'aborted' || (!error && (isJudged || stoppedEnds.has(run.reason)));
      const isLeft = control.isLeft() && isCut;
      if ((!isJudged || error) && !isLeft) await journal.emit(() => goals.interruptDrafts());
      const isUnanswered = isJudged && !isAnswered(journal.timeline.read('view'));
      if (!isLeft && (goals.isRunning || isUnanswered)) continue;
      return { goal: goals.state ?? goal, run, ...(error && error.code !== 'aborted' && { error }) };
    }
  } catch (error) {
    // After a failure of the store the goal remains as if its process had ended. The first error matters more than a
    // failure to store the interruption. The next append stores it in both cases.
    const isOutage = error instanceof StorageError && error.isRetryable;
    if (!isOutage) await journal.emit(() => goals.interruptDrafts()).catch(() => undefined);
    throw error;
  } finally {
    // One that is left remains stored as running.
    if (!control.isLeft()) goals.end();
  }
}

/** Judges the work and stores the end, or the message of the next round. Returns an error of the judge. */
async function judgeRound(session: Session, options: JudgeOptions): Promise<LlmError | undefined> {
  const { goals, journal } = session;
  const { state: goal } = goals;
  if (!goal || !goals.isRunning) return undefined;
  try {
    const next = nextState(goal, await judgeGoal(goal.objective, options, session));
    if (next.active) await sendGoal({ goal: next, message: followUp(next) }, session, options.signal);
    else await journal.emit(() => (goals.isRunning ? [goalDraft(next)] : []));
  } catch (error) {
    if (error instanceof LlmError) return error;
    // The loop was cancelled while hooks decided about its message.
    if (options.signal.aborted && error instanceof AgentError && error.code === 'closed') return undefined;
    throw error;
  }
  return undefined;
}

/** Sends a message of the loop together with the state of its goal, unless the goal was interrupted. */
async function sendGoal(
  { goal, message }: Required<Pick<GoalStart, 'goal' | 'message'>>,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  await sendMessage([text(message)], session, { rejects: () => 'always', signal, goal });
}

function nextState(goal: GoalState, verdict: GoalVerdict): GoalState {
  const iteration = goal.iteration + 1;
  const isCapped = iteration >= goal.max_iterations;
  const status = verdict.complete ? 'complete' : isCapped ? 'capped' : 'running';
  return { ...goal, active: status === 'running', status, iteration, verdict };
}

function followUp({ objective, iteration, max_iterations: rounds, verdict }: GoalState): string {
  const missing = verdict?.missing.trim() || 'Some requirements are not proved yet.';
  return `The objective is not met yet (check ${iteration} of ${rounds}). What remains according to the check:
${missing}

The objective is: ${objective}

Look at the workspace as it is now instead of relying on memory. Work on each remaining requirement, and prove it by running the tests or commands that show it. Finish when every requirement is proved.`;
}
