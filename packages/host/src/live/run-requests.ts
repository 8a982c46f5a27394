import type { Conversation, GoalLoop, RunResult } from '@varve/agent';
import { execute, executeInBackground, type RunParts, type RunRequest, type Work } from './execute-run.ts';

/** Executes a run to its end for a caller, or joins the one of another caller. @throws {AgentError} `busy`. */
export async function runToEnd(request: RunRequest, parts: RunParts): Promise<RunResult> {
  const { slot } = parts;
  const result = await slot.inOrder(async () => {
    const { run } = slot;
    if (run?.result && !run.isEnding) {
      run.isWantedAgain = true;
      return { promise: run.result };
    }
    if (run?.isEnding) await slot.idle();
    await slot.assertIdle();
    const ended = Promise.withResolvers<RunResult>();
    await slot.begin(async (begun) => execute(begun, request, parts).then(ended.resolve, ended.reject), {
      result: ended.promise,
      onCancel: () => ended.resolve(cancelled(parts.conversation)),
    });
    return ended;
  });
  return result.promise.finally(async () => slot.idle());
}

/** Returns the result of a run that was cancelled before it started. */
function cancelled({ state }: Conversation): RunResult {
  const text = 'No answer: the run was paused before it started.';
  return { reason: 'paused', text, iterations: 0, usage: state.stats.total, activeMs: state.activeMs };
}

/** Stores that a run is requested, and queues it. */
export async function requestRun(parts: RunParts): Promise<void> {
  await parts.slot.begin((run) => executeInBackground(run, {}, parts), {
    record: () => parts.conversation.markRun('requested'),
  });
}

/** Lets the active run continue with what was stored, or requests one. */
export async function continueOrRequestRun(parts: RunParts): Promise<void> {
  await parts.slot.admit();
  const { run } = parts.slot;
  if (run && !run.isEnding) {
    run.isWantedAgain = true;
    return;
  }
  await parts.slot.idle();
  await requestRun(parts);
}

/** Stores that a goal is requested, and queues its loop. */
export async function requestLoop(request: () => Promise<GoalLoop>, parts: RunParts): Promise<void> {
  const { conversation, slot } = parts;
  let work: Work | undefined;
  await slot.begin((active) => executeInBackground(active, { work }, parts), {
    record: async () => {
      work = goalWork(conversation, await request());
    },
  });
}

/** Returns the work of a goal: its requested loop first, and the interrupted goal after calls were decided. */
export function goalWork({ goal }: Pick<Conversation, 'goal'>, loop: GoalLoop): Work {
  let isStarted = false;
  return async (run) => {
    const pursued = isStarted ? goal.resume({ run }) : loop({ run });
    isStarted = true;
    const { run: result, error } = await pursued;
    return error ? { ...result, reason: 'error', error } : result;
  };
}

/** Pauses a conversation whose run has not started. */
export async function pauseNow({ conversation, slot, onIdle }: RunParts): Promise<void> {
  slot.cancel();
  await conversation.goal.stop();
  await conversation.markRun('paused');
  onIdle();
}
