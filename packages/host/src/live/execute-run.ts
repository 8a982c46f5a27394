import type { Conversation, RunOptions, RunResult } from '@varve/agent';
import type { WaitingChild } from '@varve/agent/delegation';
import { isAnswered, withoutAnswer } from '@varve/agent/replay';
import { StorageError } from '@varve/storage';
import type { Questions } from '../people/questions.ts';
import { limitCounter, type RunLimits } from './run-limits.ts';
import type { ActiveRun, RunSlot } from './run-slot.ts';
import type { Followers } from './followers.ts';

/** Runs a conversation once: `conversation.run`, or the loop of a goal. */
export type Work = (options: RunOptions) => Promise<RunResult>;

/** What a face wants of a run. */
export interface RunRequest {
  /** Person who is asked; without one, what asks ends the run as `waiting`. */
  readonly questions?: Questions | undefined;
  /** Aborting interrupts the run, and leaves a question undecided. */
  readonly signal?: AbortSignal | undefined;
  /** Limits of all runs until the end together. */
  readonly limits?: RunLimits;
  /** First work, also after its calls were decided. Default: a run of the conversation. */
  readonly work?: Work | undefined;
  readonly onQuestion?: RunOptions['onQuestion'];
  /** Called when calls of a sub-agent wait and no person decides about them. */
  readonly onChildWaiting?: ((child: WaitingChild) => void) | undefined;
  /**
   * Returns true if what arrived during a run lets it continue although it ended without an answer. After an answer it
   * continues for a message that the answer does not know. Default: it always continues.
   */
  readonly continues?: ((result: RunResult) => boolean) | undefined;
}

/** Parts of a hosted conversation that its runs use. */
export interface RunParts {
  readonly conversation: Conversation;
  readonly slot: RunSlot;
  readonly followers: Followers;
  /** True in a host, which continues runs that a failure of the store ended. */
  readonly isHosted: boolean;
  /** Called when a run has ended, or was paused before it began. */
  readonly onIdle: () => void;
  /** Writes the title if the first message is stored. */
  readonly writeTitle: () => void;
  /** Receives a failure of a background run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Executes a run whose result nothing waits for. */
export async function executeInBackground(run: ActiveRun, request: RunRequest, parts: RunParts): Promise<void> {
  const { conversation, isHosted, onFailure } = parts;
  try {
    await execute(run, request, parts);
  } catch (error) {
    onFailure(error);
    if (!isHosted || !isOutage(error)) await markFailed(error, conversation).catch(onFailure);
  }
  // The message of a goal is stored by its loop.
  parts.writeTitle();
}

/** Executes work until nothing is left to decide, and again while messages want to be answered. */
export async function execute(run: ActiveRun, request: RunRequest, parts: RunParts): Promise<RunResult> {
  const { conversation, writeTitle } = parts;
  const limits = limitCounter(request.limits ?? {}, conversation.state);
  const runAgain: Work = (options) => conversation.run(options);
  writeTitle();
  try {
    let result = await untilDecided(request.work ?? runAgain, { ...parts, run, request, limits });
    while (run.isWantedAgain && !run.isHandedOver && isUnanswered(result, request, conversation)) {
      result = await untilDecided(runAgain, { ...parts, run, request, limits });
    }
    return result;
  } finally {
    run.isEnding = true;
  }
}

/** Run and its request, with what is left of its limits. */
interface Execution extends RunParts {
  readonly run: ActiveRun;
  readonly request: RunRequest;
  readonly limits: ReturnType<typeof limitCounter>;
}

/** Executes work, and again after a person decided about calls that wait. */
async function untilDecided(work: Work, execution: Execution): Promise<RunResult> {
  const { run, request, limits, conversation, followers } = execution;
  const { questions, signal: stop } = request;
  run.isWantedAgain = false;
  run.interruption = new AbortController();
  const signal = stop ? AbortSignal.any([stop, run.interruption.signal]) : run.interruption.signal;
  if (!asksNothing(conversation)) questions?.open(signal);
  // Nothing runs before all decisions about its reply are stored.
  if (questions?.isPartlyDecided(conversation) && !(await questions.decide(conversation, signal)))
    return waitingResult(conversation, 0);
  for (;;) {
    const result = await work({
      ...limits.remaining(conversation.state),
      ...callbacks(execution, signal),
      ...(stop && { signal: stop }),
    });
    limits.add(result);
    await followers.caughtUp();
    if (result.reason !== 'waiting' || !questions || signal.aborted) return result;
    if (!(await questions.decide(conversation, signal))) return waitingResult(conversation, result.iterations);
    if (run.isHandedOver) {
      // The decision is stored: the run that it wants is requested when this one has ended.
      run.isWantedAgain = true;
      return result;
    }
    if (signal.aborted) return result;
  }
}

/** Returns the result of a run whose calls are not all decided. */
function waitingResult(conversation: Conversation, iterations: number): RunResult {
  const { pending: calls, stats, activeMs } = conversation.state;
  const digest = conversation.digestOf(calls);
  const text = withoutAnswer({ reason: 'waiting', iterations }, calls);
  return { reason: 'waiting', text, calls, digest, iterations, usage: stats.total, activeMs };
}

/** Returns true if a run is to continue after an end: a message was not read, or a decision fits no earlier run. */
function isUnanswered(result: RunResult, { signal, continues }: RunRequest, conversation: Conversation): boolean {
  if (signal?.aborted) return false;
  if (result.reason === 'finished' || result.reason === 'asked') return !isAnswered(conversation.state.view);
  return continues?.(result) ?? true;
}

/** Returns the callbacks of one run. */
function callbacks({ request, conversation, followers }: Execution, signal: AbortSignal): RunOptions {
  const { questions, onQuestion, onChildWaiting } = request;
  return {
    ...followers.callbacks,
    onChildWaiting: async (child) => {
      await followers.caughtUp();
      if (questions && (await questions.decide(child.conversation, signal, child.subAgent))) return;
      onChildWaiting?.(child);
    },
    ...(onQuestion && {
      onQuestion: async (...asked) => followers.caughtUp().then(() => onQuestion(...asked)),
    }),
    ...(questions && {
      askOutside: async (...refused) => {
        if (asksNothing(conversation)) return false;
        await followers.caughtUp();
        return questions.allowsOutside(...refused);
      },
    }),
  };
}

/** Returns true if the policy asks about nothing: then nothing that it refused runs outside of the sandbox. */
function asksNothing({ confirmation: { spec } }: Conversation): boolean {
  return typeof spec === 'object' && spec !== null && 'kind' in spec && spec['kind'] === 'NeverConfirm';
}

/** Returns true for a store that may work again later. */
export function isOutage(error: unknown): boolean {
  return error instanceof StorageError && error.isRetryable;
}

/** Stores a failure, so that the conversation is not continued after a restart; a lost or broken store keeps it. */
async function markFailed(error: unknown, conversation: Conversation): Promise<void> {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  await conversation.markRun({ code: name, detail: message });
}
