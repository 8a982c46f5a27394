import type { EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { Conversation as Underlying } from '../conversation/conversation.ts';
import type { CreateOptions, OpenOptions } from '../conversation/conversation-options.ts';
import type { UserInput } from '../run/user-message.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';
import { ConversationState } from './conversation-state.ts';
import { ConversationRunError } from './run-error.ts';

/**
 * Facade of `Conversation` of `@varve/agent` with the names of the design page: send a message, run, pause, resume, and
 * read a `state` that is computed from the events.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export class Conversation implements AsyncDisposable {
  /** State when the last call of this conversation resolved. Always the same object. */
  readonly state: ConversationState;
  readonly #conversation: Underlying;
  readonly #options: CreateOptions | OpenOptions;
  #updating: Promise<void> = Promise.resolve();

  /** Store that this object owns. */
  readonly #store: EventStore | undefined;

  private constructor(conversation: Underlying, options: CreateOptions | OpenOptions, store?: EventStore) {
    this.#conversation = conversation;
    this.#options = options;
    this.#store = store;
    this.state = new ConversationState({ id: conversation.id, kinds: options.kinds ?? [] });
  }

  /** @throws {AgentError} {@link StorageError} as `Conversation.create` of `@varve/agent` does. */
  static async create(options: CreateOptions): Promise<Conversation> {
    return new Conversation(await Underlying.create(options), options).#withState();
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
    if (typeof from !== 'string') return new Conversation(await Underlying.open(from), from).#withState();
    const store = await directoryStore({ path: from });
    try {
      const found = { ...options, store, id };
      return await new Conversation(await Underlying.open(found), found, store).#withState();
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
  }

  get id(): string {
    return this.#conversation.id;
  }

  /** Adds a user message and returns its event's id. @throws {AgentError} `invalid`, `closed`. */
  async sendMessage(input: UserInput): Promise<string> {
    const id = await this.#conversation.send(input);
    await this.#withState();
    return id;
  }

  /**
   * Runs until there is a reason to end.
   *
   * @throws {ConversationRunError} when the run fails; {@link AgentError} {@link StorageError} as `Conversation.run`
   * does.
   */
  async run(options: RunOptions = {}): Promise<RunResult> {
    try {
      const result = await this.#conversation.run(options);
      if (result.reason === 'error') throw new ConversationRunError(this.id, result.error);
      return result;
    } finally {
      await this.#withState();
    }
  }

  /** Ends the current run before its next step. Without a run nothing happens. */
  pause(): void {
    this.#conversation.pause();
  }

  /** Continues after a pause, or after any other end of the last run. @throws as `run` does. */
  resume(options: RunOptions = {}): Promise<RunResult> {
    return this.run(options);
  }

  /** Closes the tools and releases the lease. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversation[Symbol.asyncDispose]();
    await this.#store?.[Symbol.asyncDispose]();
  }

  async #withState(): Promise<this> {
    const update = async (): Promise<void> => this.state.follow(await this.#options.store.read(this.id));
    // Calls may overlap, and the state is updated by one at a time.
    this.#updating = this.#updating.then(update, update);
    await this.#updating;
    return this;
  }
}
