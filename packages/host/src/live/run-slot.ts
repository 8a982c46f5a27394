import { once } from 'node:events';
import { AgentError, type RunResult } from '@varve/agent';
import { taskQueue, type QueuedJob, type OwnerQueue } from '../queues.ts';

/** A run that was requested and has not ended. */
export interface ActiveRun {
  job?: QueuedJob;
  hasStarted: boolean;
  /** Aborts when a person pauses or interrupts it: it asks nothing any more. Another one after each end. */
  interruption: AbortController;
  /** True once nothing that arrives is answered by it. */
  isEnding?: boolean;
  /** Its result, for those who wait for it; absent in the background. */
  readonly result?: Promise<RunResult> | undefined;
  /** Called if it never starts. */
  readonly onCancel?: (() => void) | undefined;
  /** A message arrived that wants to be answered. */
  isWantedAgain: boolean;
  /** A client wants it to end after the current step. */
  isPaused?: boolean;
  /** It is continued later, by this process or another one. */
  isHandedOver?: boolean;
}

/** Options of {@link RunSlot}. */
export interface RunSlotOptions {
  /** Queue of runs. Default: a run starts as soon as it is requested. */
  readonly queue?: OwnerQueue | undefined;
  /** Returns true when the log contains the end of the run, which its work may follow. */
  readonly isEndStored: () => boolean;
  readonly onEnd: () => void;
}

/** Options of {@link RunSlot.begin}. */
interface BeginOptions extends Pick<ActiveRun, 'result' | 'onCancel'> {
  /** Stores that the run is requested. */
  readonly record?: () => Promise<unknown>;
}

/** Holds the run of a conversation: at most one. Requests to start and stop it are processed one after the other. */
export class RunSlot {
  /** Executes a request after those before it. */
  readonly inOrder = taskQueue();
  /** True once a run has started. */
  hasRun = false;
  readonly #options: RunSlotOptions;
  #run: ActiveRun | undefined;
  #idle = Promise.withResolvers<void>();
  /** Work during which no run starts. */
  #alone: Promise<unknown> | undefined;

  constructor(options: RunSlotOptions) {
    this.#options = options;
    this.#idle.resolve();
  }

  /** Run from its request to its end. */
  get run(): ActiveRun | undefined {
    return this.#run;
  }

  /** Resolves when no run is active, or the signal aborts. */
  async idle(signal?: AbortSignal): Promise<void> {
    await Promise.race([this.#idle.promise, ...(signal ? [aborted(signal)] : [])]);
  }

  /**
   * Resolves when no work remains of a run whose end is stored: clients that see the end in its events may be faster.
   */
  async settled(): Promise<void> {
    if (this.#run?.hasStarted && this.#options.isEndStored()) await this.idle();
  }

  /** Waits for a run whose end is stored. @throws {AgentError} `busy` during another one. */
  async assertIdle(): Promise<void> {
    await this.settled();
    if (this.#run) throw new AgentError('busy', 'Conversation already running. Wait for completion or pause first.');
  }

  /** Executes work during which no run starts: one that is requested starts afterwards. @throws {AgentError} `busy`. */
  async withoutRun<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.assertIdle();
    const done = work();
    const alone: Promise<unknown> = Promise.allSettled([this.#alone, done]).finally(() => {
      if (this.#alone === alone) this.#alone = undefined;
    });
    this.#alone = alone;
    return done;
  }

  /** Checks that a run may be requested, or is active. @throws {HostError} `full` if too many wait. */
  async admit(): Promise<void> {
    if (!this.#run || this.#run.isEnding) await this.#options.queue?.admit();
  }

  /** Queues a run. Nothing else begins while `record` stores that it is requested. */
  async begin(execute: (run: ActiveRun) => Promise<void>, { record, ...waited }: BeginOptions = {}): Promise<void> {
    const run: ActiveRun = {
      ...waited,
      hasStarted: false,
      isWantedAgain: false,
      interruption: new AbortController(),
    };
    this.#run = run;
    this.#idle = Promise.withResolvers();
    try {
      await record?.();
    } catch (error) {
      this.#end();
      throw error;
    }
    if (this.#alone) void this.#alone.then(() => this.#queue(run, execute));
    else this.#queue(run, execute);
  }

  /** Ends a run that has not started. */
  cancel(): void {
    const run = this.#run;
    if (!run || run.hasStarted || !(run.job?.cancel() ?? true)) return;
    this.#end();
    run.onCancel?.();
  }

  #queue(run: ActiveRun, execute: (run: ActiveRun) => Promise<void>): void {
    if (this.#run !== run) return;
    const job = async (): Promise<void> => {
      run.hasStarted = this.hasRun = true;
      await execute(run).finally(() => this.#end());
    };
    const { queue } = this.#options;
    if (queue) run.job = queue.add(job);
    else void job();
  }

  #end(): void {
    this.#run = undefined;
    this.#idle.resolve();
    this.#options.onEnd();
  }
}

/** Resolves when a signal aborts. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
