import { randomUUID } from 'node:crypto';
import { canonicalId } from '@varve/storage';
import { Conversation as Underlying, type RunOptions, type RunResult } from '@varve/agent';
import { ConversationState } from './conversation-state.ts';
import {
  openIn,
  openNamed,
  type CreateOptions,
  type NamedOptions,
  type Opened,
  type OpenOptions,
} from './open-conversation.ts';

/**
 * Facade of `Conversation` of `@varve/agent` with the names of the design page: send a message, run, pause, resume, and
 * read a `state` that is computed from the events.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export class Conversation implements AsyncDisposable {
  readonly id: string;
  /** State when the last call of this conversation resolved. Always the same object. */
  readonly state: ConversationState;
  readonly #open: () => Promise<Opened>;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  /** True if a pause was requested while the conversation was opened for a run. */
  #isPaused = false;

  /**
   * Names a conversation, which the first message or run opens, or creates if it is new: errors of both appear there.
   * {@link create} and {@link load} open it before they resolve.
   */
  constructor(options: NamedOptions) {
    const id = options.id ?? canonicalId(randomUUID());
    this.id = id;
    this.state = new ConversationState({ id, kinds: options.kinds ?? [] });
    this.#open = async () => openNamed({ ...options, id });
  }

  /** @throws {AgentError} {@link StorageError} as `Conversation.create` of `@varve/agent` does. */
  static async create(options: CreateOptions): Promise<Conversation> {
    return Conversation.#of(await openIn(options.store, () => Underlying.create(options)), options);
  }

  /**
   * Opens a stored conversation: with the options of `Conversation.open` of `@varve/agent`, or by the path of a
   * directory with conversations and the id of one. Without an agent, the stored one is rebuilt.
   *
   * @throws {AgentError} {@link StorageError} as `Conversation.open` of `@varve/agent` does.
   */
  static async load(options: OpenOptions): Promise<Conversation>;
  static async load(directory: string, id: string, options?: Omit<OpenOptions, 'store' | 'id'>): Promise<Conversation>;
  static async load(
    from: OpenOptions | string,
    id = '',
    options: Omit<OpenOptions, 'store' | 'id'> = {},
  ): Promise<Conversation> {
    const identified = typeof from === 'string' ? { ...options, id } : from;
    const place = typeof from === 'string' ? from : from.store;
    return Conversation.#of(await openIn(place, (store) => Underlying.open({ ...identified, store })), identified);
  }

  static async #of(opened: Opened, { kinds = [] }: Pick<OpenOptions, 'kinds'>): Promise<Conversation> {
    const facade = new Conversation({ id: opened.conversation.id, kinds });
    facade.#opened = opened;
    await facade.#follow(opened);
    return facade;
  }

  /** Adds a user message and returns its event's id. @throws {AgentError} `invalid`, `closed`. */
  async sendMessage(input: Parameters<Underlying['send']>[0]): Promise<string> {
    const opened = this.#opened ?? (await this.#use());
    const id = await opened.conversation.send(input);
    await this.#follow(opened);
    return id;
  }

  /**
   * Runs until there is a reason to end.
   *
   * @throws {ConversationRunError} when the run fails; {@link AgentError} {@link StorageError} as `Conversation.run`
   * does.
   */
  async run(options: RunOptions = {}): Promise<RunResult> {
    this.#isPaused = false;
    // An open conversation runs when the call returns: a pause may be the next statement.
    const opened = this.#opened ?? (await this.#use());
    try {
      const running = opened.conversation.run(options);
      if (this.#isPaused) opened.conversation.pause();
      const result = await running;
      if (result.reason === 'error') throw new ConversationRunError(this.id, result.error);
      return result;
    } finally {
      await this.#follow(opened);
    }
  }

  /** Ends the current run before its next step. Without a run nothing happens. */
  pause(): void {
    this.#isPaused = true;
    this.#opened?.conversation.pause();
  }

  /** Continues after a pause, or after any other end of the last run. @throws as `run` does. */
  resume(options: RunOptions = {}): Promise<RunResult> {
    return this.run(options);
  }

  /** Closes the tools and releases the lease. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#opened?.conversation[Symbol.asyncDispose]();
    await this.#opened?.owned?.[Symbol.asyncDispose]();
  }

  /** Opens the conversation once; after a failure, the next call opens it again. */
  async #use(): Promise<Opened> {
    this.#opening ??= this.#open();
    try {
      this.#opened = await this.#opening;
      return this.#opened;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #follow({ store, conversation: { id } }: Opened): Promise<void> {
    await this.state.follow(await store.read(id));
  }
}

/**
 * Thrown by `Conversation.run` of this entry when a run fails. The cause is the error of the result.
 *
 * @see software-agent-sdk ConversationRunError
 */
export class ConversationRunError extends Error {
  override readonly name = 'ConversationRunError';
  readonly conversationId: string;

  constructor(conversationId: string, cause: Error) {
    super(`The run of conversation ${conversationId} failed: ${cause.message}`, { cause });
    this.conversationId = conversationId;
  }
}
