import type { RunParts } from './execute-run.ts';
import { continueOrRequestRun, pauseNow, requestLoop, requestRun } from './run-requests.ts';
import { aborted, type RunSlot } from './run-slot.ts';

/** Requests about the runs of a conversation: at most one is active. */
export interface Runs extends Pick<RunSlot, 'hasRun' | 'idle' | 'settled' | 'withoutRun'> {
  /** True from the request of a run to its end. */
  readonly isActive: boolean;
  /** True for a run that waits for its turn. */
  readonly isWaiting: boolean;
  /** True for a run or a goal that the log contains without an end, and that this process does not execute. */
  readonly isStalled: boolean;
  /**
   * Requests a run, and resolves when the request is stored.
   *
   * @throws {AgentError} `busy`, `nothing-to-do`; {@link HostError} `full`; what the store throws.
   */
  start(): Promise<void>;
  /** Approves all calls that wait, and requests a run: what the protocol means by a run that a client starts. */
  approveAndStart(): Promise<void>;
  /** Requests a run, or that the active one continues with the messages that arrived. */
  startOrContinue(): Promise<void>;
  /** Continues a run, or a goal, that another process of this server began. Without one, nothing happens. */
  resume(): Promise<void>;
  /** Pauses after the current step. A run that has not started never does. */
  pause(): Promise<void>;
  /**
   * Ends the run after its current step, or when the signal aborts, so that it is continued later as after a crash.
   * Returns true if there is something to continue.
   */
  handOver(signal: AbortSignal): Promise<boolean>;
  /** Cancels the model call and the tools, and resolves when the run has ended, after 5 seconds at most. */
  interrupt(): Promise<void>;
}

/** Statuses of a conversation whose goal is pursued: during a run, and before its work is judged or continued. */
const goalStatuses = new Set<string>(['running', 'idle', 'finished', 'stuck']);

/** Longest wait for an interrupted run. @see agent-server 1.43.1 interrupt */
const interruptWaitMs = 5_000;

/** Creates the requests about runs. */
export function runs(parts: RunParts): Runs {
  const { conversation, slot } = parts;
  const stalled = (): 'goal' | 'run' | undefined => {
    const { state, goal } = conversation;
    if (slot.run) return undefined;
    if (goal.isAbandoned && goalStatuses.has(state.status)) return 'goal';
    return state.status === 'running' ? 'run' : undefined;
  };
  return {
    get isActive() {
      return slot.run !== undefined;
    },
    get hasRun() {
      return slot.hasRun;
    },
    get isWaiting() {
      return slot.run?.job !== undefined && !slot.run.hasStarted;
    },
    get isStalled() {
      return stalled() !== undefined;
    },
    idle: (signal) => slot.idle(signal),
    settled: () => slot.settled(),
    withoutRun: (work) => slot.withoutRun(work),
    start: () =>
      slot.inOrder(async () => {
        await slot.assertIdle();
        await slot.admit();
        await requestRun(parts);
      }),
    approveAndStart: () =>
      slot.inOrder(async () => {
        await slot.assertIdle();
        await slot.admit();
        const { status, pending } = conversation.state;
        if (status === 'waiting_for_confirmation' && pending.length > 0) await conversation.approve();
        await requestRun(parts);
      }),
    startOrContinue: () => slot.inOrder(() => continueOrRequestRun(parts)),
    resume: () =>
      slot.inOrder(async () => {
        const work = stalled();
        if (work === 'goal') await requestLoop(() => conversation.goal.requestResume(), parts);
        else if (work === 'run') await requestRun(parts);
      }),
    pause: () =>
      slot.inOrder(async () => {
        if (!slot.run?.hasStarted) return pauseNow(parts);
        slot.run.isPaused = true;
        slot.run.isWantedAgain = false;
        slot.run.interruption.abort();
        conversation.pause();
      }),
    async handOver(signal) {
      const { run } = slot;
      if (!run) return stalled() !== undefined;
      run.isHandedOver = true;
      run.interruption.abort();
      slot.cancel();
      await conversation.leave(signal);
      await slot.idle();
      if (run.isWantedAgain && !run.isPaused) await conversation.markRun('requested');
      return conversation.state.status === 'running' || conversation.goal.state?.status === 'running';
    },
    interrupt: () =>
      slot.inOrder(async () => {
        if (!slot.run?.hasStarted) return pauseNow(parts);
        slot.run.isWantedAgain = false;
        slot.run.interruption.abort();
        await Promise.race([interrupted(parts), aborted(AbortSignal.timeout(interruptWaitMs))]);
      }),
  };
}

async function interrupted({ conversation, slot }: RunParts): Promise<void> {
  await conversation.interrupt();
  await slot.idle();
}
