import type { Conversation, RunResult } from '@varve/agent';
import { isAnswered } from '@varve/agent/replay';
import type { PendingCall } from '@varve/events/projections';
import type { Delta } from '@varve/llm';
import { withoutUndefined } from '@varve/text';
import { askedOf } from '../people/call-decisions.ts';
import { taskQueue, type OwnerQueue } from '../queues.ts';
import type { EventFollower, EventSink } from './event-follower.ts';
import type { RunParts, RunRequest } from './execute-run.ts';
import { Followers } from './followers.ts';
import { goalRuns, type GoalRuns } from './goal-runs.ts';
import { continueOrRequestRun, runToEnd } from './run-requests.ts';
import { RunSlot } from './run-slot.ts';
import { runs, type Runs } from './runs.ts';

/** Options of {@link HostedConversation}. */
export interface HostedOptions {
  /**
   * Queue of background runs, of a host that continues those that a failure of the store ended. Default: they start
   * when they are requested.
   */
  readonly queue?: OwnerQueue | undefined;
  /** Writes the title, once the first message is stored; abandoned when the conversation is closed. */
  readonly title?: ReturnType<Conversation['titleWriter']> | undefined;
  /** Returns what receives pieces of replies in addition to those that follow. */
  readonly deltas?: (() => ((delta: Delta) => void) | undefined) | undefined;
  /** Called when a run has ended, or was paused before it began. */
  readonly onIdle?: (() => void) | undefined;
  /** Receives a failure of a background run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** Decision about calls that wait, made outside of a run. */
export interface Decision {
  /** Reason of a rejection, which the model reads. Absent for an approval. */
  readonly reject?: string | undefined;
  /** Ids of the events of the calls; default: all that are pending. */
  readonly actionIds?: readonly string[] | undefined;
  /** Digest of the calls that the person saw. */
  readonly digest?: string | undefined;
  /** Arguments that run in place of those of the one call. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Who approves, as the log names it. */
  readonly by?: string | undefined;
  /** True for a decision that means nothing while no calls wait, or a run is about to execute them. */
  readonly ifWaiting?: true | undefined;
}

/** Calls of a conversation that wait for a person. */
export interface WaitingCalls {
  /** All that are pending, in their order. */
  readonly calls: readonly PendingCall[];
  /** Those that a person is asked about; the others wait for them. */
  readonly asked: readonly PendingCall[];
  /** Digest of all of them. */
  readonly digest: string;
}

/** Codes of errors after which another process has the conversation. */
const lostCodes = new Set<unknown>(['taken-over', 'fenced', 'closed']);

/** Ends of a run after which the title is not waited for. */
const brokenOff = new Set<RunResult['reason']>(['interrupted', 'paused', 'error']);

/**
 * One open conversation as its faces need it: at most one run, questions to a person in one order, decisions, and
 * events for those that follow. It owns the conversation.
 */
export class HostedConversation implements AsyncDisposable {
  readonly conversation: Conversation;
  /** Runs in the background, for those who do not wait for their result. */
  readonly runs: Runs;
  /** Goals in the background. */
  readonly goal: GoalRuns;
  readonly #options: HostedOptions;
  readonly #parts: RunParts;
  /** Messages with ids: of two with one id that arrive concurrently, one is stored. */
  readonly #identified = taskQueue();
  #isLost = false;

  constructor(conversation: Conversation, options: HostedOptions = {}) {
    const { queue, title, deltas = () => undefined, onIdle = () => undefined } = options;
    const isEndStored = (): boolean => conversation.state.status !== 'running';
    this.conversation = conversation;
    this.#options = options;
    this.#parts = {
      conversation,
      slot: new RunSlot({ queue, isEndStored, onEnd: onIdle }),
      followers: new Followers(conversation, deltas),
      isHosted: queue !== undefined,
      onIdle,
      writeTitle: () => title?.start(),
      onFailure: (error) => {
        this.note(error);
        options.onFailure?.(error);
      },
    };
    this.runs = runs(this.#parts);
    this.goal = goalRuns(this.#parts);
  }

  /** True once another process has the conversation: it must be opened again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Examines an error of an operation, which may show that the conversation is lost. */
  note(error: unknown): void {
    this.#isLost ||= error instanceof Error && 'code' in error && lostCodes.has(error.code);
  }

  /**
   * Stores a message, and returns the id of its event. With `run` it is answered: by the active run, or a new one in
   * the background. One whose `id` is in the log is not stored again, and starts a run only if the first one could not.
   *
   * @throws {HostError} `full`, before anything is stored, if too many runs wait.
   */
  async send(
    input: Parameters<Conversation['send']>[0],
    { run = false, id }: { readonly run?: boolean; readonly id?: string | undefined } = {},
  ): Promise<string> {
    const { conversation } = this;
    if (run) await this.#parts.slot.admit();
    const eventId = await (id === undefined
      ? conversation.send(input)
      : this.#identified(() => conversation.send(input, { id })));
    if (run && (id === undefined || this.#isUnanswered(id))) await this.runs.startOrContinue();
    return eventId;
  }

  /** Stores the result of a call that completes later, as `Conversation.complete`, and lets a run answer it. */
  complete(...result: Parameters<Conversation['complete']>): Promise<boolean> {
    return this.receive(({ conversation }) => conversation.complete(...result));
  }

  /**
   * Stores what arrives without a person. A run answers it: the active one, or a new one in the background unless the
   * conversation was paused or waits for a person.
   *
   * @throws {HostError} `full`, before anything is stored, if too many runs wait; what `store` throws.
   */
  async receive<Result>(store: (hosted: HostedConversation) => Promise<Result>): Promise<Result> {
    await this.#parts.slot.admit();
    const before = this.conversation.state.leafId;
    const result = await store(this);
    const { status, leafId } = this.conversation.state;
    // Also after a process that ended before it could request the run; a run that failed does not know what is new.
    const isNewSinceFailure = status === 'error' && leafId !== before;
    if (this.#isUnanswered(isNewSinceFailure ? leafId : undefined)) await this.runs.startOrContinue();
    return result;
  }

  /**
   * Runs until there is nothing left to decide or to answer; during such a run, joins it, so that what was stored since
   * is answered.
   *
   * @throws {AgentError} `busy` during a run in the background; what `Conversation.run` throws.
   */
  async run(request: RunRequest = {}): Promise<RunResult> {
    const result = await runToEnd(request, this.#parts);
    if (!brokenOff.has(result.reason)) await this.#options.title?.finished();
    return result;
  }

  /** Ends the run after its current step, and leaves a question undecided. Returns false if nothing runs. */
  async pause(): Promise<boolean> {
    if (!this.runs.isActive) return false;
    await this.runs.pause();
    return true;
  }

  /** Interrupts the run, and leaves a question undecided. Returns false if nothing runs. */
  async interrupt(): Promise<boolean> {
    if (!this.runs.isActive) return false;
    await this.runs.interrupt();
    return true;
  }

  /** Returns the calls that wait for a person. */
  waiting(): WaitingCalls {
    const { pending } = this.conversation.state;
    return { calls: pending, asked: askedOf(pending), digest: this.conversation.digestOf(pending) };
  }

  /**
   * Stores a decision about calls that wait. With `run` it is followed: by the active run, or a new one in the
   * background.
   *
   * @throws {AgentError} `nothing-pending`, `calls-changed`, `invalid` as `Conversation.approve`.
   */
  async decide(decision: Decision, { run = false }: { readonly run?: boolean } = {}): Promise<void> {
    const { conversation } = this;
    const { reject, ifWaiting, ...approval } = decision;
    await this.#parts.slot.inOrder(async () => {
      if (ifWaiting && !this.#isWaiting(decision)) return;
      if (run) await this.#parts.slot.admit();
      const { actionIds } = decision;
      if (reject === undefined) await conversation.approve(withoutUndefined(approval));
      else await conversation.reject(reject, withoutUndefined({ actionIds }));
      if (run) await continueOrRequestRun(this.#parts);
    });
  }

  /** Sends the events from a seq on to a sink, and what arrives before they are stored. */
  follow(sink: EventSink, from = this.conversation.state.head): EventFollower {
    return this.#parts.followers.add(sink, from);
  }

  /** Ends the run and closes the conversation. Those that follow receive what is stored, and no more. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { slot, followers } = this.#parts;
    slot.cancel();
    slot.run?.interruption.abort();
    await this.conversation[Symbol.asyncDispose]();
    await slot.idle();
    await followers.finish();
    await this.#options.title?.[Symbol.asyncDispose]();
  }

  /** Returns true for a message that no run has read, and after which no person paused. */
  #isUnanswered(id?: string): boolean {
    const { state } = this.conversation;
    const isOpen = state.status === 'idle' || state.status === 'running' || state.leafId === id;
    return isOpen && !isAnswered(state.view);
  }

  #isWaiting({ reject }: Decision): boolean {
    const isRunning = reject === undefined && this.runs.isActive;
    return !isRunning && this.conversation.state.status === 'waiting_for_confirmation';
  }
}
