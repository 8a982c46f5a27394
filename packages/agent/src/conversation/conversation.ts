import { randomUUID } from 'node:crypto';
import type { BaseEvent, Json } from '@varve/events';
import type { Observation } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import type { LanguageModel, ModelReply, ModelRequest } from '@varve/llm';
import { canonicalId } from '@varve/storage';
import { defineAgent } from '../agent/agent.ts';
import { callsDigest } from '../confirmation/gate.ts';
import type { ConfirmationPolicy } from '../confirmation/confirmation-policy.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { Goal } from '../goal/goal.ts';
import type { ConversationState } from '../log/conversation-state.ts';
import { readEvents, readState, type LoggedEvent } from '../log/read-log.ts';
import type { MetaDifference } from '../log/settings.ts';
import { runConversation } from '../run/run-conversation.ts';
import { RunLock } from '../run/run-lock.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';
import type { Session } from '../agent/session.ts';
import { approveCalls, rejectCalls, type Approval } from '../run/calls/approvals.ts';
import { completeCall } from '../run/calls/complete-call.ts';
import { startDirectories } from '../run/calls/proposed-calls.ts';
import { childSession, type ChildOptions } from './child-conversation.ts';
import { condenseNow, type CondenseOptions } from './condense-now.ts';
import { copyFiles, type CopiedFiles, type CopyFilesOptions } from './copy-files.ts';
import type {
  ConversationOptions,
  CreateOptions,
  EventsOptions,
  OpenOptions,
  SendOptions,
} from './conversation-options.ts';
import { executeDirectCall, type DirectCall } from './direct-call.ts';
import { forkSession, type ForkOptions } from './fork-conversation.ts';
import {
  importConversation,
  type ImportedConversation,
  type ImportOptions,
  importLog,
  type LogToImport,
} from './import-conversation.ts';
import { Lifetime } from './lifetime.ts';
import { goBack, type NavigateOptions, type RewoundFiles } from './navigate.ts';
import { createSession, openSession, type OpenedSession } from './open-session.ts';
import { recordEvents, type EventMaker, setConfirmation, updateFields, type StateFields } from './record-events.ts';
import { markRun, type RunMark } from './run-marks.ts';
import { sendMessage, contentOf, type UserInput } from '../run/send-message.ts';
import { askSideQuestion } from './side-question.ts';
import { storedId } from './stored-agent.ts';
import { generateTitle, renameConversation, type TitleOptions } from './title.ts';
import { TitleWriter, type TitleWriterOptions } from './title-writer.ts';
import { RunStream, type StreamOptions } from '../stream/run-stream.ts';

/**
 * An agent bound to a log and a workspace. Holds the lease of the log until it is disposed.
 *
 * Everything it does is in the log before `events` yields it, and before anything that cannot be repeated. One run at a
 * time; `send`, `pause` and `interrupt` may be called during a run. Once another process has taken the conversation
 * over, every method that writes rejects with `taken-over`.
 */
export class Conversation implements AsyncDisposable {
  /** Pursues an objective over several runs. */
  readonly goal: Goal;
  /** Tasks of its sub-agents. */
  readonly delegation: Delegation;
  readonly #session: Session;
  readonly #options: Omit<ConversationOptions, 'agent'>;
  readonly #runLock: RunLock;
  readonly #lifetime: Lifetime;

  private constructor(
    { session, delegation }: OpenedSession,
    options: Omit<ConversationOptions, 'agent'>,
    parent?: Conversation,
  ) {
    this.#session = session;
    this.#options = options;
    this.#runLock = new RunLock(session);
    this.#lifetime = new Lifetime(session, this.#runLock, parent ? parent.#lifetime : undefined);
    this.delegation = delegation;
    delegation.bind({
      session,
      depth: parent ? parent.delegation.depth + 1 : 0,
      open: (child) => this.child(child),
    });
    this.goal = new Goal({ session, runLock: this.#runLock, assertUsable: () => this.#lifetime.assertUsable() });
  }

  /** The session, unless it was closed or lost. @throws {AgentError} `closed`, `taken-over`. */
  get #usable(): Session {
    this.#lifetime.assertUsable();
    return this.#session;
  }

  /** Creates a conversation. @throws {AgentError} `invalid`; {@link StorageError} `exists` and those of the store. */
  static async create(options: CreateOptions): Promise<Conversation> {
    return new Conversation(await createSession({ ...options, id: canonicalId(options.id ?? randomUUID()) }), options);
  }

  /**
   * Resumes a conversation at the end of its log; without `agent`, with the one that it was last used with. Nothing is
   * appended and nothing runs until `send` or `run`; the next run completes what a crash left open.
   *
   * @throws {AgentError} `invalid`, `not-rebuilt`, `tools-missing`, `policy-missing`, `incomplete`;
   * {@link StorageError} `missing`, `held` and what the store throws.
   */
  static async open(options: OpenOptions): Promise<Conversation> {
    const identified = { ...options, id: await storedId(options.store, options.id) };
    return new Conversation(await openSession(identified), identified);
  }

  /**
   * Imports a conversation that `exportBundle` wrote, under its id. Its events are history: they neither approve nor
   * run anything here, its policy and workspace do not apply, and its open calls are answered as not executed.
   * @throws {StorageError} `exists`, `corrupt`, `invalid` and what the store throws.
   */
  static async import(
    bundle: AsyncIterable<string | Uint8Array>,
    options: ImportOptions,
  ): Promise<ImportedConversation> {
    return importConversation(bundle, options);
  }

  /** Imports a log of another system, as {@link Conversation.import}. @throws {StorageError} `exists` and others. */
  static async importLog(log: LogToImport, options: ImportOptions): Promise<ImportedConversation> {
    return importLog(log, options);
  }

  get id(): string {
    return this.#session.conversationId;
  }

  get workspace(): string {
    return this.#session.workspace;
  }

  /** Confirmation policy that decides about the next call: that of the agent, or the stored one. */
  get confirmation(): ConfirmationPolicy {
    return this.#session.agent.confirmation;
  }

  /**
   * Settings stored next to the log that differed from the log when the conversation was opened. They had no effect,
   * and are replaced with the next event. Empty for a log without settings: then those next to it apply.
   */
  get metaDifferences(): readonly MetaDifference[] {
    return this.#session.metaDifferences;
  }

  /** Current state; while {@link navigate} is in progress, the state before it. */
  get state(): ConversationState {
    return this.#session.journal.state;
  }

  /** Returns the state after the first `head` events. @throws {StorageError} `invalid` for an invalid number. */
  async stateAt(head: number): Promise<ConversationState> {
    return readState(this.#session.log, { codec: this.#session.codec, to: head });
  }

  /** Returns the request that the next step would send now. */
  request(): ModelRequest {
    return this.#session.prepareRequest().request;
  }

  /**
   * Adds a user message and returns its event's id. Calls that wait for approval are rejected with the message as the
   * reason, and so are calls that a crash left unstarted: sending a message approves nothing. Approved calls stay
   * approved. Nothing runs until `run`; a run in progress includes the message in its next step.
   *
   * @throws {AgentError} `invalid` without text and image, `blocked` when a hook does not accept it, `closed`.
   */
  async send(input: UserInput, { id, keepsCalls }: SendOptions = {}): Promise<string> {
    const rejects = () => (keepsCalls ? 'never' : this.#runLock.isRunning ? 'when-waiting' : 'always');
    return sendMessage(contentOf(input), this.#usable, { rejects, signal: this.#lifetime.abortOnClose(), id });
  }

  /**
   * Runs steps until there is a reason to end. While calls wait and none was approved it returns `waiting` immediately,
   * and after `finished` it returns the same text until a message is sent. After every other end it continues.
   *
   * @throws {AgentError} `invalid`, `busy`, `nothing-to-do`, `closed`, `taken-over`; {@link StorageError} when the log
   * cannot be written: `fenced` when another process took it over, which cancels what is running and ends the use of
   * this object. What a callback or a policy throws is a bug and rejects unchanged; the log stays complete, and the
   * next run continues.
   */
  async run(options: RunOptions = {}): Promise<RunResult> {
    return this.#run(options);
  }

  /** Sends a message, if any, and runs: yields what is stored and what is provisional, in one order. */
  stream(input?: UserInput, options: StreamOptions = {}): RunStream {
    return new RunStream(this, input, options);
  }

  /** Runs one step; the reason `paused` means that there is more to do. @throws as `run` does. */
  async step(options: Omit<RunOptions, 'maxIterations'> = {}): Promise<RunResult> {
    return this.#run(options, 1);
  }

  /** Ends the current run before its next step. Without a run nothing happens. */
  pause(): void {
    this.#runLock.pause();
  }

  /** Ends the current run immediately, and resolves when it has ended. Calls are cancelled and answered. */
  async interrupt(): Promise<void> {
    await this.#runLock.interrupt();
  }

  /**
   * Ends the current run before its next step, or when the signal aborts, and resolves when it has ended. Nothing of
   * the end is stored: the run, or the goal, is continued as after a crash, here or by another process.
   */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#runLock.leave(signal);
  }

  /** Stores a mark of a run for an application that queues runs; returns false where it has no meaning. */
  async markRun(mark: RunMark): Promise<boolean> {
    return markRun(mark, this.#usable);
  }

  /**
   * Approves pending calls, by the ids of their action events or all of them, with their exact stored bytes. The status
   * does not change: the next run executes them, and waits again for other calls that the policy asks about. With a
   * digest only the calls that have it are approved; with arguments, one call runs with these.
   *
   * @throws {AgentError} `nothing-pending` when an id names no pending call, or no call is pending; `calls-changed`
   * when the calls have another digest; `invalid`; {@link ToolError} `invalid-input` for the arguments.
   */
  async approve(approval: Approval = {}): Promise<void> {
    await approveCalls(approval, this.#usable);
  }

  /** Returns the hex SHA-256 of calls as they would run, in order, for `approve`; default all pending calls. */
  digestOf(calls: readonly PendingCall[] = this.state.pending): string {
    return callsDigest(this.#session.codec, calls);
  }

  /**
   * Returns the directories in which the commands of pending calls may start, by the ids of their events: earlier
   * commands left a shell there, or earlier ones of these calls would. Absolute, or relative to the workspace; none for
   * a command that starts in the workspace. An approval covers these directories only.
   */
  startDirectories(): ReadonlyMap<string, readonly string[]> {
    return startDirectories(this.state.pending, this.#session);
  }

  /**
   * Rejects pending calls that have not started, by the ids of their action events or all of them, also while a run
   * executes earlier calls; the model reads the reason.
   * @throws {AgentError} `nothing-pending` when an id names no such call, or no call is pending.
   */
  async reject(reason: string, { actionIds }: Pick<Approval, 'actionIds'> = {}): Promise<void> {
    await rejectCalls(reason, this.#usable, actionIds);
  }

  /**
   * Stores the result of a call of a tool that completes later, by the id of its action event. The model reads it as a
   * message. Returns false for a call that has one, which stays. Nothing runs until `run`, and what waits still waits.
   * @throws {AgentError} `invalid` for a call of another tool, or without text and images, `closed`.
   */
  async complete(actionId: string, result: UserInput): Promise<boolean> {
    return completeCall(actionId, result, this.#usable);
  }

  /**
   * Asks a model, default that of the agent, a side question, also during a run. Question and answer are not stored;
   * the usage counts, under the usage id `ask`. @throws {LlmError} what the model throws; {@link AgentError} `closed`.
   */
  async ask(question: string, { signal, model }: Pick<TitleOptions, 'model' | 'signal'> = {}): Promise<ModelReply> {
    const closing = this.#lifetime.abortOnClose(signal);
    return askSideQuestion(question, this.#usable, { signal: closing, ...(model && { model }) });
  }

  /** Executes a tool, unasked and without an event. @throws {AgentError} `invalid`, `closed`; {@link ToolError}. */
  async executeTool(call: DirectCall): Promise<Observation> {
    return executeDirectCall({ ...call, signal: this.#lifetime.abortOnClose(call.signal) }, this.#usable);
  }

  /** Replaces the model from the next step on, also during a run. Open it with this model again after a restart. */
  switchModel(model: LanguageModel): void {
    this.#session.settings.changeAgent(defineAgent({ ...this.#session.agent, model }));
  }

  /** Replaces the confirmation policy from the next decision on, also during a run, and stores it with an analyzer. */
  async setConfirmation(policy: ConfirmationPolicy, analyzer: Json = policy.analyzer ?? null): Promise<void> {
    await setConfirmation(policy, analyzer, this.#usable);
  }

  /** Stores fields of the reference's state that steer no run, such as tags. @throws {AgentError} `invalid`. */
  async updateFields(fields: StateFields): Promise<void> {
    await updateFields(fields, this.#usable);
  }

  /**
   * Appends custom events as one transaction, also during a run: of the `kinds` it was opened with, and facts of
   * `defineFact` whose key has two dots. They are checked, masked, sealed and folded like all others, and returned as
   * stored. The model reads those whose kind has a message.
   * @throws {AgentError} `invalid` for other events, `closed`; {@link EventError} for one that breaks its schema.
   */
  async record(...makers: readonly EventMaker[]): Promise<readonly BaseEvent[]> {
    return recordEvents(makers, this.#usable);
  }

  /**
   * Generates a title from the first message and returns it. When the model fails, the title is the first line of that
   * message, truncated. The conversation's model does not see it; its cost counts as used.
   * @throws {AgentError} `nothing-to-do` when no message has text, `invalid`, `closed`.
   */
  async generateTitle(options: TitleOptions = {}): Promise<string> {
    return generateTitle({ ...options, signal: this.#lifetime.abortOnClose(options.signal) }, this.#usable);
  }

  /** Returns what names this conversation in the background, for an application. */
  titleWriter(options: TitleWriterOptions): TitleWriter {
    return new TitleWriter(async (title) => this.generateTitle(title), options);
  }

  /** Sets the title. @throws {AgentError} `invalid` for an empty title, `closed`. */
  async rename(title: string): Promise<void> {
    await renameConversation(title, this.#usable);
  }

  /**
   * Condenses the view now, with a subject to preserve above all. Returns false if nothing can be condensed.
   * @throws {AgentError} `busy`, `pending` while calls are open, `closed`; {@link CondenserError} {@link LlmError}.
   */
  async condense(options: CondenseOptions = {}): Promise<boolean> {
    const session = this.#usable;
    return this.#runLock.exclusive(({ interruption }) => condenseNow(options, session, interruption));
  }

  /**
   * Goes back, or to another branch: the next event follows this one, or starts a new branch with `undefined`. Nothing
   * is deleted. Calls that are open there are answered as not executed. With files, those that calls changed go back.
   * @throws {AgentError} `busy`, `invalid` when there is no such event or nothing can follow it, `closed`.
   */
  async navigate(eventId: string | undefined, options?: NavigateOptions): Promise<RewoundFiles> {
    const session = this.#usable;
    return this.#runLock.exclusive(() => goBack(eventId, session, options));
  }

  /**
   * Copies the workspace to a new directory, for a fork: in a repository with a commit, to a linked worktree. Files of
   * the log are as they were after an event, as far as it has their contents. A killed process leaves a part of it.
   * @throws {AgentError} `busy`, `invalid` for an unknown event, `closed`; {@link ToolError}.
   */
  async copyFiles(options: CopyFilesOptions): Promise<CopiedFiles> {
    const session = this.#usable;
    return this.#runLock.exclusive(() => copyFiles(options, session));
  }

  /**
   * Creates a conversation from the beginning of this one in the same store, also during a run. The caller owns it.
   * @throws {AgentError} `invalid`, `closed`; {@link StorageError} `exists` and what the store throws.
   */
  async fork(options: ForkOptions = {}): Promise<Conversation> {
    const { id = randomUUID(), ...rest } = options;
    const base = { ...this.#options, agent: this.#usable.agent, ...rest };
    return new Conversation(await forkSession(this.#session, base, { ...rest, id: canonicalId(id) }), base);
  }

  /**
   * Creates a child conversation in the same store, also during a run; or opens the child with the given `id`. A child
   * may use what is left of this conversation's budget and of its current run; its usage counts here too, as it is
   * used, and concurrent children share what is left. When the current run is stopped, so are the runs that its
   * children started during it. The caller disposes the child; it is disposed with this conversation at the latest.
   *
   * @throws {AgentError} `invalid`, `closed`; {@link StorageError} what the store throws.
   */
  async child(options: ChildOptions = {}): Promise<Conversation> {
    const id = options.id === undefined ? canonicalId(randomUUID()) : await storedId(this.#options.store, options.id);
    const { opened, options: childOptions } = await childSession(this.#usable, this.#options, { ...options, id });
    const child = new Conversation(opened, childOptions, this);
    return this.#lifetime.adopt(child, child.#lifetime);
  }

  /**
   * Yields stored events from seq `from` on, each once, in order. It ends at the current head; with `follow` or a
   * signal it yields later events too, until the loop ends or it aborts. @throws {StorageError} `invalid`.
   */
  events({ from = 0, follow = false, signal }: EventsOptions = {}): AsyncIterable<LoggedEvent> {
    const { log, codec } = this.#session;
    return readEvents(
      follow || signal ? log.tail(from, signal ?? new AbortController().signal) : log.range(from),
      codec,
    );
  }

  /** Interrupts a run and everything else in progress, closes the tools and releases the lease. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    return this.#lifetime.close();
  }

  async #run(options: RunOptions, pauseAfter = Infinity): Promise<RunResult> {
    const session = this.#usable;
    return this.#runLock.exclusive((control) => runConversation(session, options, { ...control, pauseAfter }));
  }
}
