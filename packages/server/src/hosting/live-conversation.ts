import { AgentError, type Conversation, type GoalLoop, type RunOptions } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import type { Delta, LanguageModel } from '@varve/llm';
import { configurationFact, type Configuration } from './info/configuration-fact.ts';
import type { Confirmation, LiveParts } from './live-parts.ts';
import type { PrivateValues } from './private/private-values.ts';
import type { QueuedJob } from './run-queue.ts';
import { aborted, after } from './waits.ts';

/** A run that was requested and has not ended. */
interface ActiveRun {
  /** Runs the conversation, or a loop of runs. */
  readonly work: (options: RunOptions) => Promise<unknown>;
  job?: QueuedJob;
  hasStarted: boolean;
  /** A message arrived that wants to be answered. */
  isWantedAgain: boolean;
}

/** Codes of errors after which another process has the conversation. */
const lostCodes = new Set<unknown>(['taken-over', 'fenced', 'closed']);

/** Statuses of a conversation whose goal is pursued: during a run, and before its work is judged or continued. */
const goalStatuses = new Set<string>(['running', 'idle', 'finished', 'stuck']);

/** Longest wait for an interrupted run. @see agent-server 1.43.1 interrupt */
const interruptWaitMs = 5_000;

/** One open conversation, with at most one run. Requests to start and stop runs are processed one after the other. */
export class LiveConversation implements AsyncDisposable {
  readonly #parts: LiveParts;
  /** As it was last set. */
  confirmation: Confirmation;
  #configuration: Configuration | undefined;
  #run: ActiveRun | undefined;
  readonly #title: ReturnType<Conversation['titleWriter']>;
  #isLost = false;
  #idle = Promise.withResolvers<void>();
  /** Work during which no run starts. */
  #alone: Promise<unknown> | undefined;
  #requests: Promise<unknown> = Promise.resolve();

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#configuration = parts.configuration;
    this.confirmation = parts.confirmation;
    const { conversation, onFailure } = parts;
    this.#title = conversation.titleWriter({ model: async () => this.#titleModel(), onFailure });
    this.#idle.resolve();
  }

  get conversation(): Conversation {
    return this.#parts.conversation;
  }

  get privateValues(): PrivateValues {
    return this.#parts.privateValues;
  }

  get registries(): AgentRegistries {
    return this.#parts.registries;
  }

  /** Rules of the person for calls, which apply on top of every policy. */
  get rules(): readonly PermissionRule[] | undefined {
    return this.#parts.rules;
  }

  get configuration(): Configuration | undefined {
    return this.#configuration;
  }

  /** True once another process has the conversation: it must be opened again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Reports an error of an operation, which may show that the conversation is lost. */
  note(error: unknown): void {
    this.#isLost ||= error instanceof Error && 'code' in error && lostCodes.has(error.code);
  }

  /** Stores and applies a changed configuration. */
  async configure(configuration: Configuration): Promise<void> {
    await this.conversation.record((stamp) => configurationFact.create(configuration, stamp));
    this.#configuration = configuration;
  }

  /** True from the request of a run to its end. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** Resolves when no run is active. */
  async idle(): Promise<void> {
    await this.#idle.promise;
  }

  /**
   * Requests a run, and resolves when the request is stored. Waiting calls are approved.
   *
   * @throws {AgentError} `busy`, `nothing-to-do`; what the store throws.
   */
  run(): Promise<void> {
    return this.#inOrder(async () => {
      const { conversation } = this;
      await this.#assertIdle();
      if (conversation.state.status === 'waiting_for_confirmation') await this.#approve();
      await this.#request();
    });
  }

  /** Requests a run, or that the active one continues with the messages that arrived. */
  runAgain(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#run) this.#run.isWantedAgain = true;
      else await this.#request();
    });
  }

  /**
   * Pursues an objective in the background: a loop of runs.
   *
   * @throws {AgentError} `busy`.
   */
  startGoal(objective: string, maxIterations: number): Promise<void> {
    return this.#loop(() => this.conversation.goal.request(objective, maxIterations));
  }

  /** Continues an interrupted goal in the background. @throws {AgentError} `busy`, `nothing-to-do` without one. */
  resumeGoal(): Promise<void> {
    const { goal } = this.conversation;
    if (goal.state?.status !== 'interrupted') {
      return Promise.reject(new AgentError('nothing-to-do', 'no_resumable_goal'));
    }
    return this.#loop(() => goal.requestResume());
  }

  /** Stops the loop of a goal. A run in progress continues to its end. */
  stopGoal(): Promise<void> {
    return this.#inOrder(async () => {
      const { goal } = this.conversation;
      const isQueued = this.#run?.hasStarted === false && goal.state?.status === 'running';
      if (isQueued) await this.#pauseNow();
      else await goal.stop();
    });
  }

  /** Executes work during which no run starts: one that is requested starts afterwards. @throws {AgentError} `busy`. */
  async withoutRun<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.settled();
    this.#assertNoRun();
    const done = work();
    const alone: Promise<unknown> = Promise.allSettled([this.#alone, done]).finally(() => {
      if (this.#alone === alone) this.#alone = undefined;
    });
    this.#alone = alone;
    return done;
  }

  #loop(request: () => Promise<GoalLoop>): Promise<void> {
    return this.#inOrder(async () => {
      await this.#assertIdle();
      await this.#requestLoop(request);
    });
  }

  /** Stores that a goal is requested, and queues its loop. */
  async #requestLoop(request: () => Promise<GoalLoop>): Promise<void> {
    let loop: GoalLoop | undefined;
    await this.#begin(
      async (run) => loop?.({ run }),
      async () => {
        loop = await request();
      },
    );
  }

  /** Continues a run, or a goal, that another process of this server began. Without one, nothing happens. */
  resume(): Promise<void> {
    return this.#inOrder(async () => {
      const { state, goal } = this.conversation;
      if (this.#configuration === undefined || this.#run) return;
      if (goal.isAbandoned && goalStatuses.has(state.status)) await this.#requestLoop(() => goal.requestResume());
      else if (state.status === 'running') await this.#request();
    });
  }

  /**
   * Approves the calls that wait, and runs. Without any, nothing happens. With ids, approves the calls with them, and
   * runs, or lets the active run continue with them.
   *
   * @throws {AgentError} `nothing-pending` when an id names no call that waits.
   */
  accept(actionIds?: readonly string[]): Promise<void> {
    return this.#inOrder(async () => {
      const { conversation } = this;
      if (actionIds) await conversation.approve({ actionIds });
      else if (conversation.state.status !== 'waiting_for_confirmation' || this.#run) return;
      else await this.#approve();
      if (this.#run) this.#run.isWantedAgain = true;
      else await this.#request();
    });
  }

  /**
   * Rejects the calls that wait; the model reads the reason in the next run. Without any, nothing happens. With ids,
   * rejects the calls with them.
   *
   * @throws {AgentError} `nothing-pending` when an id names no call that waits.
   */
  reject(reason: string, actionIds?: readonly string[]): Promise<void> {
    return this.#inOrder(async () => {
      const { conversation } = this;
      if (actionIds) await conversation.reject(reason, { actionIds });
      else if (conversation.state.status === 'waiting_for_confirmation') await conversation.reject(reason);
    });
  }

  /** Pauses after the current step. A run that has not started never does. */
  pause(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#run?.hasStarted) this.conversation.pause();
      else await this.#pauseNow();
    });
  }

  /** Cancels the model call and the tools, and resolves when the run has ended, after 5 seconds at most. */
  interrupt(): Promise<void> {
    return this.#inOrder(async () => {
      if (!this.#run?.hasStarted) return this.#pauseNow();
      this.#run.isWantedAgain = false;
      await Promise.race([this.#interrupted(), after(interruptWaitMs)]);
    });
  }

  /** Pauses, waits for the end of the run until the signal aborts, and closes the conversation. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.#run) {
      await this.pause();
      await Promise.race([this.idle(), aborted(signal)]);
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel();
    await this.privateValues.close();
    await this.conversation[Symbol.asyncDispose]();
    await this.idle();
    this.#parts.walls[Symbol.dispose]();
    await this.#title.finished();
  }

  async #interrupted(): Promise<void> {
    await this.conversation.interrupt();
    await this.idle();
  }

  async #approve(): Promise<void> {
    if (this.conversation.state.pending.length > 0) await this.conversation.approve();
  }

  /**
   * Resolves when no work remains of a run whose end is stored: clients that see the end in its events may be faster.
   */
  async settled(): Promise<void> {
    if (this.#run?.hasStarted && this.conversation.state.status !== 'running') await this.idle();
  }

  /** @throws {AgentError} `busy`. */
  async #assertIdle(): Promise<void> {
    await this.settled();
    this.#assertNoRun();
  }

  #assertNoRun(): void {
    if (this.#run) throw new AgentError('busy', 'Conversation already running. Wait for completion or pause first.');
  }

  /** Stores that a run is requested, and queues it. */
  async #request(): Promise<void> {
    const { conversation } = this;
    await this.#begin(
      (options) => conversation.run(options),
      () => conversation.markRun('requested'),
    );
  }

  /** Queues work. Nothing else begins while `record` stores that it is requested. */
  async #begin(work: ActiveRun['work'], record: () => Promise<unknown>): Promise<void> {
    const run: ActiveRun = { work, hasStarted: false, isWantedAgain: false };
    this.#run = run;
    this.#idle = Promise.withResolvers();
    try {
      await record();
    } catch (error) {
      this.#end();
      throw error;
    }
    if (this.#alone) void this.#alone.then(() => this.#queue(run));
    else this.#queue(run);
  }

  #queue(run: ActiveRun): void {
    if (this.#run === run) run.job = this.#parts.queue.add(() => this.#execute(run));
  }

  async #execute(run: ActiveRun): Promise<void> {
    run.hasStarted = true;
    this.#title.start();
    const { conversation, publish, onFailure } = this.#parts;
    const onDelta = (delta: Delta): void => publishDelta(delta, publish);
    const options = (): RunOptions => (this.#isStreaming() ? { onDelta } : {});
    try {
      run.isWantedAgain = false;
      await run.work(options());
      while (run.isWantedAgain) {
        run.isWantedAgain = false;
        await conversation.run(options());
      }
    } catch (error) {
      this.note(error);
      onFailure(error);
      await this.#markFailed(error);
    } finally {
      this.#end();
      // The message of a goal is stored by its loop.
      this.#title.start();
    }
  }

  /**
   * Returns the model of the title. A client that names a profile gets the title of the agent's model if that profile
   * cannot be used; without a profile and without `roles.title`, the first line of the first message is the title.
   *
   * @see agent-server 1.43.1 autotitle and title_llm_profile
   */
  async #titleModel(): Promise<LanguageModel | 'agent' | 'none'> {
    const configuration = this.#configuration;
    if (!configuration || configuration.request?.['autotitle'] === false) return 'none';
    const { title_llm_profile: profile } = configuration;
    return (await this.#parts.titleModel(profile)) ?? (profile === undefined ? 'none' : 'agent');
  }

  /** Clients receive pieces of replies if they asked for them. */
  #isStreaming(): boolean {
    const llm = this.#configuration?.agent['llm'] as Json | undefined;
    return typeof llm === 'object' && llm !== null && 'stream' in llm && llm['stream'] === true;
  }

  /** Stores a failure, so that the conversation is not continued after a restart; a lost or broken store keeps it. */
  async #markFailed(error: unknown): Promise<void> {
    const { conversation, onFailure } = this.#parts;
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    try {
      await conversation.markRun({ code: name, detail: message });
    } catch (failure) {
      onFailure(failure);
    }
  }

  async #pauseNow(): Promise<void> {
    this.#cancel();
    await this.conversation.goal.stop();
    await this.conversation.markRun('paused');
    this.#parts.publish({ kind: 'full_state' });
  }

  #cancel(): void {
    if (this.#run && (this.#run.job?.cancel() ?? true)) this.#end();
  }

  #end(): void {
    this.#run = undefined;
    this.#idle.resolve();
    this.#parts.publish({ kind: 'full_state' });
  }

  #inOrder<Result>(request: () => Promise<Result>): Promise<Result> {
    const result = this.#requests.then(request);
    this.#requests = result.catch(() => undefined);
    return result;
  }
}

/** Publishes a piece of text, which the model has masked. Clients receive no pieces of calls. */
function publishDelta(delta: Delta, publish: LiveParts['publish']): void {
  if (delta.kind === 'text') publish({ kind: 'delta', content: delta.text });
  if (delta.kind === 'reasoning') publish({ kind: 'delta', reasoning_content: delta.text });
}
