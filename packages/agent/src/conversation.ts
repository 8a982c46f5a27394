import { randomUUID } from 'node:crypto';
import { SystemPromptEvent, textOf, type ActionEvent, type BaseEvent } from '@varve/events';
import { approvalFact } from '@varve/events/facts';
import type { Observation } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { Delta, LanguageModel, ModelReply, ModelRequest } from '@varve/llm';
import { ask } from './ask.ts';
import { condenseNow } from './condense-now.ts';
import type { ConversationOptions, CreateOptions, OpenOptions, Saying } from './conversation-options.ts';
import type { ConversationState } from './conversation-state.ts';
import { stateOf } from './conversation-state.ts';
import { statusDraft, titleDraft } from './drafts.ts';
import { AgentError } from './error.ts';
import { executeTool, type DirectCall } from './execute-tool.ts';
import { finalText } from './final-text.ts';
import { forkConversation, type ForkOptions } from './fork-conversation.ts';
import { approvalDigest } from './gate.ts';
import { generateTitle, type TitleOptions } from './generate-title.ts';
import type { Draft } from './journal.ts';
import { checkLimits, type Limits } from './limits.ts';
import { endsInReply, isAnswered } from './is-answered.ts';
import { moveHead } from './move-head.ts';
import { OpenConversation } from './open-conversation.ts';
import { readEvents, type LoggedEvent } from './read-events.ts';
import { runLoop, type LoopEnd } from './run-loop.ts';
import { timeLimit } from './reached-limit.ts';
import type { RunResult } from './run-result.ts';
import { readState } from './read-state.ts';
import { recordEvents, type EventMaker } from './record-events.ts';
import { contentOf, rejections, sayingDrafts } from './saying-drafts.ts';

/**
 * How one run is watched, limited and stopped. Its limits count what this run uses, whatever the agent's budget leaves of
 * the conversation's; `maxIterations` replaces the budget's.
 */
export interface RunOptions extends Limits {
  /** Aborting interrupts: the model call and tools are cancelled, and open calls are answered. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds this run may take, at most 2,147,483,647. Then it is interrupted, whatever is under way, as it is when the
   * time of the conversation is over.
   */
  readonly maxMs?: number;
  /** Pieces of replies as they come. Provisional; must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /** Output of calls as it comes. Provisional, and not masked; must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
}

function newConversationId(): string {
  return randomUUID().replaceAll('-', '');
}

/**
 * An agent bound to a log and a workspace. It holds the log's lease until it is disposed.
 *
 * Everything it does goes into the log before anyone is told, and before anything that cannot be done again. One run at a time; `send`, `pause` and `interrupt` may be called during it.
 */
export class Conversation implements AsyncDisposable {
  readonly #open: OpenConversation;
  readonly #options: ConversationOptions;
  #running: Promise<unknown> | undefined;
  #interruption = new AbortController();
  #isPauseRequested = false;
  /** Ends what goes on beside runs. */
  readonly #leaving = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(open: OpenConversation, options: ConversationOptions) {
    this.#open = open;
    this.#options = options;
  }

  /** @throws {AgentError} `invalid`; {@link StorageError} `exists` and whatever the store throws. */
  static async create(options: CreateOptions): Promise<Conversation> {
    return new Conversation(
      await OpenConversation.create({ ...options, id: options.id ?? newConversationId() }),
      options,
    );
  }

  /**
   * Takes up a conversation where its log ends. Nothing is appended and nothing runs until `send` or `run`; what a crash
   * left open is brought to an end by the next run.
   *
   * @throws {AgentError} `invalid`, `tools-missing`; {@link StorageError} `missing`, `held` and whatever the store throws.
   */
  static async open(options: OpenOptions): Promise<Conversation> {
    return new Conversation(await OpenConversation.open(options), options);
  }

  get id(): string {
    return this.#open.session.conversationId;
  }

  get workspace(): string {
    return this.#open.session.workspace;
  }

  /** As of now: during a run it may be ahead of the log by calls that only read, which are stored within the same moment. */
  get state(): ConversationState {
    return stateOf(this.#timeline);
  }

  /** The state after the first `head` events. @throws {StorageError} `invalid` for a bad number. */
  async stateAt(head: number): Promise<ConversationState> {
    await this.#open.session.journal.flush();
    return readState(this.#open.log, { codec: this.#open.session.codec, to: head });
  }

  /** The request that the next step would send now. */
  request(): ModelRequest {
    return this.#open.session.prepare(this.#timeline.read('view')).request;
  }

  /**
   * Adds a user message and returns its event's id. Calls that wait for approval are rejected, with the message as the
   * reason, and so are calls that a crash left unstarted: to say something is not to allow something. Nothing runs until
   * `run`; a run under way takes the message into its next step.
   *
   * @throws {AgentError} `invalid` when there is neither text nor an image, `closed`.
   */
  async send(saying: Saying): Promise<string> {
    this.#assertUsable();
    const content = contentOf(saying);
    const { session } = this.#open;
    this.#open.suggestTitle(textOf(content));
    // What a crash left unstarted is refused like what waits, so that the model reads the message before anything runs.
    const refuses = this.#running === undefined ? 'always' : 'when-waiting';
    const events = await session.journal.emit(() => sayingDrafts(content, session, refuses));
    return events.findLast((event) => event.source === 'user')?.id ?? '';
  }

  /**
   * Steps until there is a reason to end. While calls wait and none of them was approved it returns `waiting` at once, and
   * after `finished` it returns the same text until something is said. After every other end it goes on.
   *
   * @throws {AgentError} `invalid`, `busy`, `nothing-to-do`, `closed`; {@link StorageError} when the log cannot be written.
   * What a callback or a policy throws is a bug and rejects as it is; the log stays whole, and the next run goes on from it.
   */
  async run(options: RunOptions = {}): Promise<RunResult> {
    return this.#withUsage(await this.#exclusively(() => this.#run(options)));
  }

  /**
   * Takes one step, then pauses: the reason `paused` says that there is more to do. A step that ends a run gives the reason
   * that a run would give.
   *
   * @throws {AgentError} {@link StorageError} as `run` does.
   */
  async step(options: Omit<RunOptions, 'maxIterations'> = {}): Promise<RunResult> {
    return this.#withUsage(await this.#exclusively(() => this.#run(options, 1)));
  }

  /** Ends the run under way before its next step. Nothing happens when none is. */
  pause(): void {
    if (this.#running) this.#isPauseRequested = true;
  }

  /** Ends the run under way now, and resolves when it has ended. Calls are cancelled and answered. */
  async interrupt(): Promise<void> {
    this.#interruption.abort();
    await this.#running?.catch(() => undefined);
  }

  /**
   * Allows pending calls, by the ids of their action events or all of them, exactly as they stand. The status stays as it
   * is: the next run executes them, and waits again for those of the others that the policy asks about.
   *
   * @throws {AgentError} `nothing-pending` when an id names no pending call, or there is none.
   */
  async approve({ actionIds, by = 'user' }: { readonly actionIds?: readonly string[]; readonly by?: string } = {}) {
    this.#assertUsable();
    const { journal, codec, now } = this.#open.session;
    await journal.emit(() =>
      this.#pending(actionIds).map(({ event }): Draft => {
        const value = { action_id: event.id, digest: approvalDigest(codec, event), by, at: now() };
        return { make: (stamp) => approvalFact.create(value, stamp) };
      }),
    );
  }

  /**
   * Refuses every pending call that has not begun, also while a run is at the calls before it; the model reads the reason.
   *
   * @throws {AgentError} `nothing-pending`.
   */
  async reject(reason: string): Promise<void> {
    this.#assertUsable();
    await this.#open.session.journal.emit(() => {
      const refused = rejections(this.#open.session, reason);
      if (refused.length === 0) throw this.#nothingPending();
      return [...refused, ...(this.state.status === 'waiting_for_confirmation' ? [statusDraft('idle')] : [])];
    });
  }

  /**
   * Asks the model something beside the work, also while a run is under way. The question and its answer leave no event,
   * and what they cost is told in the reply only.
   *
   * @throws {LlmError} what the model throws; {@link AgentError} `closed`.
   */
  async ask(question: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ModelReply> {
    this.#assertUsable();
    return ask(question, this.#open.session, this.#untilClosed(signal));
  }

  /**
   * Carries out a call of one of its tools for you: nothing is confirmed, and it leaves no event.
   *
   * @throws {AgentError} `invalid` when there is no such tool, `closed`; {@link ToolError} what the tool throws.
   */
  async executeTool(call: DirectCall): Promise<Observation> {
    this.#assertUsable();
    const signal = this.#untilClosed(call.signal);
    return executeTool({ ...call, signal }, this.#open.session, this.#open.mask);
  }

  /** From the next step on, of a run under way too, this model is asked. Open it with this model again after a restart. */
  switchModel(model: LanguageModel): void {
    this.#open.switchModel(model);
  }

  /**
   * Appends events of your own, as one act and also while a run is under way: of the `kinds` it was opened with, and facts of
   * `defineFact` whose key has two dots. They are checked, masked, sealed and folded like every other, and come back as
   * they are stored. The model reads those whose kind has a message.
   *
   * @throws {AgentError} `invalid` for other events, `closed`; {@link EventError} for one that breaks its schema.
   */
  async record(...makers: readonly EventMaker[]): Promise<readonly BaseEvent[]> {
    this.#assertUsable();
    return recordEvents(makers, this.#open.session);
  }

  /**
   * Has a model name the conversation by what was said first, and returns the name. Its first line, cut, is the name when the
   * model fails. The model of the conversation reads nothing of it; what it costs counts as used.
   *
   * @throws {AgentError} `nothing-to-do` when nothing was said in words, `invalid`, `closed`.
   */
  async generateTitle(options: TitleOptions = {}): Promise<string> {
    this.#assertUsable();
    const signal = this.#untilClosed(options.signal);
    return generateTitle({ ...options, signal }, this.#open.log, this.#open.session);
  }

  /** @throws {AgentError} `invalid` for an empty title, `closed`. */
  async rename(title: string): Promise<void> {
    this.#assertUsable();
    if (title.trim() === '') throw new AgentError('invalid', 'A title needs text.');
    await this.#open.session.journal.emit([titleDraft(title.trim())]);
  }

  /**
   * Makes the view smaller now, and tells whether it could. @throws {AgentError} `busy`, `pending` while calls are open,
   * `closed`; {@link CondenserError}.
   */
  condense(): Promise<boolean> {
    return this.#exclusively(() => condenseNow(this.#open.session, this.#interruption.signal));
  }

  /**
   * Goes back, or to another branch: what comes next follows this event, or nothing with `undefined`. Nothing is deleted;
   * every event can be gone to again. Calls that are open there are answered as not executed.
   *
   * @throws {AgentError} `busy`, `invalid` when there is no such event or nothing can follow it, `closed`.
   */
  navigate(eventId: string | undefined): Promise<void> {
    return this.#exclusively(() => moveHead(eventId, this.#open.log, this.#open.session));
  }

  /**
   * Makes a new conversation of the beginning of this one, in the same store, also while a run is under way. The caller
   * disposes it.
   *
   * @throws {AgentError} `invalid`, `closed`; {@link StorageError} `exists` and whatever the store throws.
   */
  async fork(options: ForkOptions = {}): Promise<Conversation> {
    this.#assertUsable();
    const { id = newConversationId(), ...rest } = options;
    const { agent } = this.#open.session;
    const base = { ...this.#options, agent, ...rest };
    return new Conversation(await forkConversation(this.#open, base, { ...rest, id }), base);
  }

  /**
   * Stored events from seq `from` on, each once, in order. Without a signal it ends at the present head; with one it goes
   * on with later events until the signal aborts. @throws {StorageError} `invalid` for a bad number.
   */
  events({
    from = 0,
    signal,
  }: { readonly from?: number; readonly signal?: AbortSignal } = {}): AsyncIterable<LoggedEvent> {
    const { log, session } = this.#open;
    return readEvents(signal ? log.tail(from, signal) : log.range(from), session.codec);
  }

  /** Interrupts a run and whatever else is under way, closes the tools and gives the lease back. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#leaving.abort();
    await this.interrupt();
    await this.#open[Symbol.asyncDispose]();
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#assertUsable();
    if (this.#running) throw new AgentError('busy', `Conversation ${this.id} is running already.`);
    this.#interruption = new AbortController();
    this.#isPauseRequested = false;
    // What reached the log although its append failed counts.
    const running = this.#open.session.journal.catchUp().then(work);
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  get #timeline() {
    return this.#open.session.journal.timeline;
  }

  async #run({ signal, onDelta, onOutput, ...limits }: RunOptions, pauseAfter = Infinity): Promise<LoopEnd> {
    checkLimits(limits);
    const { session } = this.#open;
    const { status, pending, lastUserMessageId, view } = this.state;
    const waits = status === 'waiting_for_confirmation' && !pending.some((call) => call.approvedDigest !== undefined);
    if (waits) return { reason: 'waiting', iterations: 0 };
    // A branch may begin anew although something was said on another one.
    const isEmpty = lastUserMessageId === undefined || view.events.every((event) => SystemPromptEvent.is(event));
    if (isEmpty && pending.length === 0) {
      throw new AgentError('nothing-to-do', `Conversation ${this.id} has no message yet: send one first.`);
    }
    if (status === 'finished' && pending.length === 0 && isAnswered(view)) {
      return { reason: 'finished', text: finalText(view), iterations: 0 };
    }
    if (status === 'idle' && session.agent.textReply === 'wait' && endsInReply(view)) {
      return { reason: 'asked', text: finalText(view), iterations: 0 };
    }
    const { timeout = (ms: number) => AbortSignal.timeout(ms) } = this.#options;
    const time = timeLimit(limits, session.agent.budget, this.state.activeMs);
    const deadline = time && time.leftMs > 0 ? timeout(time.leftMs) : undefined;
    const signals = [this.#interruption.signal, signal, deadline].filter((one) => one !== undefined);
    return runLoop(
      session,
      { signal: AbortSignal.any(signals), ...(onDelta && { onDelta }), ...(onOutput && { onOutput }) },
      {
        limits: { ...limits, maxIterations: limits.maxIterations ?? session.agent.budget.maxIterations },
        isPauseRequested: (iterations) => this.#isPauseRequested || iterations >= pauseAfter,
        overdue: () =>
          deadline?.aborted === true && !this.#interruption.signal.aborted && signal?.aborted !== true
            ? time?.limit
            : undefined,
      },
    );
  }

  #withUsage(end: LoopEnd): RunResult {
    return { ...end, usage: this.#timeline.read('stats').total, activeMs: this.#timeline.read('activity').ms };
  }

  #pending(actionIds?: readonly string[]): readonly PendingCall[] {
    const pending = this.#timeline.read('pending');
    const unknown = actionIds?.find((id) => !pending.some(({ event }) => event.id === id));
    if (unknown !== undefined || pending.length === 0) throw this.#nothingPending(unknown);
    return actionIds ? pending.filter(({ event }) => actionIds.includes(event.id)) : pending;
  }

  #nothingPending(id?: string): AgentError {
    const what = id === undefined ? 'has no pending call' : `has no pending call ${id}`;
    return new AgentError('nothing-pending', `Conversation ${this.id} ${what}.`);
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#leaving.signal]) : this.#leaving.signal;
  }

  #assertUsable(): void {
    if (this.#closing) throw new AgentError('closed', `Conversation ${this.id} was closed.`);
  }
}
