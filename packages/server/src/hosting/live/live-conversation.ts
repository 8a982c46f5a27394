import type { Conversation } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import type { LanguageModel } from '@varve/llm';
import type { TitleModel } from '../../settings/title-model.ts';
import { configurationFact, type Configuration } from '../info/server-facts.ts';
import type { FeedMessage } from '../info/feed.ts';
import type { PrivateValues } from '../private/private-values.ts';
import type { RunParts } from './execute-run.ts';
import { goalRuns, type GoalRuns } from './goal-runs.ts';
import type { RunQueue } from '../queues.ts';
import { RunSlot } from './run-slot.ts';
import { runs, type Runs } from './runs.ts';
import { waitingCalls, type WaitingCalls } from './waiting-calls.ts';

/** JSON of a confirmation policy, and of the analyzer next to it. */
export interface Confirmation {
  readonly policy: Json;
  readonly analyzer: Json;
}

/** Parts of a live conversation. */
export interface LiveParts {
  /** Closed with the live conversation. */
  readonly conversation: Conversation;
  /** Walls around the commands of the agent, closed after the conversation. */
  readonly walls: Disposable;
  readonly privateValues: PrivateValues;
  readonly registries: AgentRegistries;
  /** Rules of the person for calls. */
  readonly rules?: readonly PermissionRule[] | undefined;
  readonly queue: RunQueue;
  /** True if runs that a failure of the store ended are continued. */
  readonly isReplica: boolean;
  /** Absent for a conversation that another program created. */
  readonly configuration?: Configuration | undefined;
  readonly confirmation: Confirmation;
  readonly titleModel: TitleModel;
  readonly publish: (message: FeedMessage) => void;
  /** Receives a failure of a run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Codes of errors after which another process has the conversation. */
const lostCodes = new Set<unknown>(['taken-over', 'fenced', 'closed']);

/** One open conversation. */
export class LiveConversation implements AsyncDisposable {
  readonly conversation: Conversation;
  readonly privateValues: PrivateValues;
  readonly registries: AgentRegistries;
  /** Rules of the person for calls, which apply on top of every policy. */
  readonly rules: readonly PermissionRule[] | undefined;
  /** As it was last set. */
  confirmation: Confirmation;
  readonly runs: Runs;
  readonly calls: WaitingCalls;
  readonly goal: GoalRuns;
  readonly #parts: LiveParts;
  readonly #slot: RunSlot;
  readonly #title: ReturnType<Conversation['titleWriter']>;
  #configuration: Configuration | undefined;
  #isLost = false;

  constructor(parts: LiveParts) {
    const { conversation, publish, onFailure } = parts;
    this.#parts = parts;
    this.conversation = conversation;
    this.privateValues = parts.privateValues;
    this.registries = parts.registries;
    this.rules = parts.rules;
    this.confirmation = parts.confirmation;
    this.#configuration = parts.configuration;
    this.#title = conversation.titleWriter({ model: async () => this.#titleModel(), onFailure });
    this.#slot = new RunSlot({
      queue: parts.queue,
      isEndStored: () => conversation.state.status !== 'running',
      onEnd: () => publish({ kind: 'full_state' }),
    });
    const runParts = { ...this.#runParts(), conversation, publish, slot: this.#slot };
    this.runs = runs(runParts);
    this.calls = waitingCalls(runParts);
    this.goal = goalRuns(runParts);
  }

  /** Absent for a conversation that another program created. */
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

  /** Pauses, waits for the end of the run until the signal aborts, and closes the conversation. */
  async close(signal: AbortSignal): Promise<void> {
    if (this.runs.isActive) {
      await this.runs.pause();
      await this.runs.idle(signal);
    }
    await this[Symbol.asyncDispose]();
  }

  /**
   * Closes the conversation after the current step of its run, or when the signal aborts. Returns true if another
   * process is to continue the run.
   */
  async handOver(signal: AbortSignal): Promise<boolean> {
    const continues = this.#configuration !== undefined && (await this.runs.handOver(signal));
    await this.close(signal);
    return continues;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#slot.cancel();
    await this.privateValues.close();
    await this.conversation[Symbol.asyncDispose]();
    await this.runs.idle();
    this.#parts.walls[Symbol.dispose]();
    await this.#title.finished();
  }

  #runParts(): Pick<RunParts, 'isReplica' | 'isStreaming' | 'writeTitle' | 'onFailure'> {
    return {
      isReplica: this.#parts.isReplica,
      isStreaming: () => isStreaming(this.#configuration),
      writeTitle: () => this.#title.start(),
      onFailure: (error) => {
        this.note(error);
        this.#parts.onFailure(error);
      },
    };
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
}

/** Clients receive pieces of replies if they asked for them. */
function isStreaming(configuration: Configuration | undefined): boolean {
  const llm = configuration?.agent['llm'] as Json | undefined;
  return typeof llm === 'object' && llm !== null && 'stream' in llm && llm['stream'] === true;
}
