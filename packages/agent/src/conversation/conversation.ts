import { randomUUID } from 'node:crypto';
import { textOf, type BaseEvent } from '@varve/events';
import type { Observation } from '@varve/events/payloads';
import type { LanguageModel, ModelReply, ModelRequest } from '@varve/llm';
import { BudgetLedger } from '../budget/budget-ledger.ts';
import { approveCalls, type Approval } from './approve-calls.ts';
import { askSideQuestion } from './side-question.ts';
import { childConversation, type ChildOptions } from './child-conversation.ts';
import { condenseNow } from './condense-now.ts';
import type { ConversationOptions, CreateOptions, OpenOptions, UserInput } from './conversation-options.ts';
import type { ConversationState } from '../log/conversation-state.ts';
import { stateOf } from '../log/conversation-state.ts';
import { titleDraft } from '../log/drafts.ts';
import { AgentError } from '../error.ts';
import { executeDirectCall, type DirectCall } from './direct-call.ts';
import { forkConversation, type ForkOptions } from './fork-conversation.ts';
import { generateTitle, type TitleOptions } from './generate-title.ts';
import { navigateTo } from './navigate.ts';
import { OpenConversation } from './open-conversation.ts';
import { readEvents, type LoggedEvent } from '../log/read-events.ts';
import { readState } from '../log/read-state.ts';
import { recordEvents, type EventMaker } from './record-events.ts';
import { rejectCalls } from './reject-calls.ts';
import { runConversation } from '../run/run-conversation.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';
import { RunLock } from '../run/run-lock.ts';
import { contentOf, userMessageDrafts } from './user-message.ts';

function newConversationId(): string {
  return randomUUID().replaceAll('-', '');
}

/**
 * An agent bound to a log and a workspace. It holds the log's lease until it is disposed.
 *
 * Everything it does goes into the log before `events` tells it, and before anything that cannot be done again. One
 * run at a time; `send`, `pause` and `interrupt` may be called during it. Once somebody else took the conversation over,
 * whatever would write rejects with `taken-over`.
 */
export class Conversation implements AsyncDisposable {
  readonly #open: OpenConversation;
  readonly #options: ConversationOptions;
  readonly #runLock: RunLock;
  readonly #ledger: BudgetLedger;
  readonly #children = new Set<Conversation>();
  /** Ends what goes on beside runs. */
  readonly #closeSignal = new AbortController();
  readonly #parent: Conversation | undefined;
  #closing: Promise<void> | undefined;

  private constructor(open: OpenConversation, options: ConversationOptions, parent?: Conversation) {
    this.#open = open;
    this.#options = options;
    this.#runLock = new RunLock(open.session, open.lost);
    this.#parent = parent;
    this.#ledger = new BudgetLedger(open.session, parent && parent.#ledger);
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
  async send(saying: UserInput): Promise<string> {
    this.#assertUsable();
    const content = contentOf(saying);
    const { session } = this.#open;
    this.#open.suggestTitle(textOf(content));
    // What a crash left unstarted is refused like what waits, so that the model reads the message before anything runs.
    const refuses = this.#runLock.isRunning ? 'when-waiting' : 'always';
    const events = await session.journal.emit(() => userMessageDrafts(content, session, refuses));
    return events.findLast((event) => event.source === 'user')?.id ?? '';
  }

  /**
   * Steps until there is a reason to end. While calls wait and none of them was approved it returns `waiting` at once, and
   * after `finished` it returns the same text until something is said. After every other end it goes on.
   *
   * @throws {AgentError} `invalid`, `busy`, `nothing-to-do`, `closed`, `taken-over`; {@link StorageError} when the log cannot
   * be written: `fenced` when somebody took it over, which cancels what is under way and ends this object's use.
   * What a callback or a policy throws is a bug and rejects as it is; the log stays whole, and the next run goes on from it.
   */
  async run(options: RunOptions = {}): Promise<RunResult> {
    return this.#run(options);
  }

  /**
   * Takes one step, then pauses: the reason `paused` says that there is more to do. A step that ends a run gives the reason
   * that a run would give.
   *
   * @throws {AgentError} {@link StorageError} as `run` does.
   */
  async step(options: Omit<RunOptions, 'maxIterations'> = {}): Promise<RunResult> {
    return this.#run(options, 1);
  }

  /** Ends the run under way before its next step. Nothing happens when none is. */
  pause(): void {
    this.#runLock.pause();
  }

  /** Ends the run under way now, and resolves when it has ended. Calls are cancelled and answered. */
  async interrupt(): Promise<void> {
    await this.#runLock.interrupt();
  }

  /**
   * Allows pending calls, by the ids of their action events or all of them, exactly as they stand. The status stays as it
   * is: the next run executes them, and waits again for those of the others that the policy asks about.
   *
   * @throws {AgentError} `nothing-pending` when an id names no pending call, or there is none.
   */
  async approve(approval: Approval = {}): Promise<void> {
    this.#assertUsable();
    await approveCalls(approval, this.#open.session);
  }

  /**
   * Refuses every pending call that has not begun, also while a run is at the calls before it; the model reads the reason.
   *
   * @throws {AgentError} `nothing-pending`.
   */
  async reject(reason: string): Promise<void> {
    this.#assertUsable();
    await rejectCalls(reason, this.#open.session);
  }

  /**
   * Asks the model something beside the work, also while a run is under way. The question and its answer leave no event,
   * and what they cost is told in the reply only.
   *
   * @throws {LlmError} what the model throws; {@link AgentError} `closed`.
   */
  async ask(question: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ModelReply> {
    this.#assertUsable();
    return askSideQuestion(question, this.#open.session, this.#abortOnClose(signal));
  }

  /**
   * Carries out a call of one of its tools for you: nothing is confirmed, and it leaves no event.
   *
   * @throws {AgentError} `invalid` when there is no such tool, `closed`; {@link ToolError} what the tool throws.
   */
  async executeTool(call: DirectCall): Promise<Observation> {
    this.#assertUsable();
    const signal = this.#abortOnClose(call.signal);
    return executeDirectCall({ ...call, signal }, this.#open.session, this.#open.mask);
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
    const signal = this.#abortOnClose(options.signal);
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
  async condense(): Promise<boolean> {
    this.#assertUsable();
    return this.#runLock.exclusive(({ interruption }) => condenseNow(this.#open.session, interruption));
  }

  /**
   * Goes back, or to another branch: what comes next follows this event, or nothing with `undefined`. Nothing is deleted;
   * every event can be gone to again. Calls that are open there are answered as not executed.
   *
   * @throws {AgentError} `busy`, `invalid` when there is no such event or nothing can follow it, `closed`.
   */
  async navigate(eventId: string | undefined): Promise<void> {
    this.#assertUsable();
    await this.#runLock.exclusive(() => navigateTo(eventId, this.#open.log, this.#open.session));
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
   * Makes a conversation that works for this one, in the same store, also while a run is under way; or, with the `id` of one
   * that it made before, takes that one up. What it may use is what this one leaves of its budget, and of the run under
   * way; what it uses counts here too, as it is used. Several at once share what is left. When the run under way here is
   * stopped, so are the runs of its children that began meanwhile. The caller disposes it; at the latest it is disposed
   * with this one.
   *
   * @throws {AgentError} `invalid`, `closed`; {@link StorageError} whatever the store throws.
   */
  async child(options: ChildOptions = {}): Promise<Conversation> {
    this.#assertUsable();
    const { id = newConversationId() } = options;
    const made = await childConversation(this.#open, this.#options, { ...options, id });
    const child = new Conversation(made.open, made.options, this);
    this.#children.add(child);
    try {
      this.#assertUsable();
      await child.#ledger.reportUsage();
      return child;
    } catch (error) {
      // Why matters more than what cannot be told to one that is closed.
      await child[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
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
    this.#closeSignal.abort();
    // At once: a tool of the run may wait for a child that began before it.
    const ends = [this.interrupt(), ...[...this.#children].map((child) => child[Symbol.asyncDispose]())];
    const closed = await Promise.allSettled(ends);
    try {
      await this.#ledger.reportUsage();
    } finally {
      this.#ledger.close();
      const parent = this.#parent;
      if (parent) parent.#children.delete(this);
      await this.#open[Symbol.asyncDispose]();
    }
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  }

  get #timeline() {
    return this.#open.session.journal.timeline;
  }

  async #run(options: RunOptions, pauseAfter?: number): Promise<RunResult> {
    this.#assertUsable();
    const { timeout } = this.#options;
    const stops = {
      ledger: this.#ledger,
      ...(timeout && { timeout }),
      ...(pauseAfter !== undefined && { pauseAfter }),
    };
    return this.#runLock.exclusive((underWay) => runConversation(this.#open.session, options, { ...stops, underWay }));
  }

  #abortOnClose(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#closeSignal.signal, this.#open.lost, ...(signal ? [signal] : [])]);
  }

  #assertUsable(): void {
    if (this.#closing) throw new AgentError('closed', `Conversation ${this.id} was closed.`);
    const { aborted, reason: cause } = this.#open.lost;
    if (aborted)
      throw new AgentError('taken-over', `Conversation ${this.id} was taken over by somebody else.`, { cause });
  }
}
