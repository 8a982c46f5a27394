import { Conversation as Underlying } from '../conversation/conversation.ts';
import type { CreateOptions, OpenOptions, UserInput } from '../conversation/conversation-options.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';
import { ConversationState } from './conversation-state.ts';

/**
 * A conversation in the words of the documents these classes come from: say something, run it, pause, resume, and look at a
 * `state` that is nothing but its events. `Conversation` of `@varve/agent` does more; this one is made of it.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export class Conversation implements AsyncDisposable {
  /** As it was when the last call of this conversation resolved. The same object throughout. */
  readonly state: ConversationState;
  readonly #conversation: Underlying;
  readonly #options: CreateOptions | OpenOptions;
  #following: Promise<void> = Promise.resolve();

  private constructor(conversation: Underlying, options: CreateOptions | OpenOptions) {
    this.#conversation = conversation;
    this.#options = options;
    this.state = new ConversationState({ id: conversation.id, kinds: options.kinds ?? [] });
  }

  /** @throws {AgentError} {@link StorageError} as `Conversation.create` of `@varve/agent` does. */
  static async create(options: CreateOptions): Promise<Conversation> {
    return new Conversation(await Underlying.create(options), options).#told();
  }

  /** Takes up a stored conversation. @throws {AgentError} {@link StorageError} as `Conversation.open` of `@varve/agent` does. */
  static async load(options: OpenOptions): Promise<Conversation> {
    return new Conversation(await Underlying.open(options), options).#told();
  }

  get id(): string {
    return this.#conversation.id;
  }

  /** Adds a user message and returns its event's id. @throws {AgentError} `invalid`, `closed`. */
  async sendMessage(saying: UserInput): Promise<string> {
    const id = await this.#conversation.send(saying);
    await this.#told();
    return id;
  }

  /** Steps until there is a reason to end. @throws {AgentError} {@link StorageError} as `Conversation.run` does. */
  async run(options: RunOptions = {}): Promise<RunResult> {
    try {
      return await this.#conversation.run(options);
    } finally {
      await this.#told();
    }
  }

  /** Ends the run under way before its next step. Nothing happens when none is. */
  pause(): void {
    this.#conversation.pause();
  }

  /** Goes on after a pause, or after whatever else ended the last run. @throws as `run` does. */
  resume(options: RunOptions = {}): Promise<RunResult> {
    return this.run(options);
  }

  /** Closes the tools and gives the lease back. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversation[Symbol.asyncDispose]();
  }

  async #told(): Promise<this> {
    const follow = async (): Promise<void> => this.state.follow(await this.#options.store.read(this.id));
    // Calls may resolve at once, and a state follows one log at a time.
    this.#following = this.#following.then(follow, follow);
    await this.#following;
    return this;
  }
}
