import { eventCodec, type BaseEvent, type EventCodec, type EventKind } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { TaskItem } from '@varve/events/payloads';
import {
  statsProjection,
  statusProjection,
  taskListProjection,
  Timeline,
  type ExecutionStatus,
  type LogEntry,
  countsProjection,
} from '@varve/events/projections';
import { StorageError, type EventStore, type LogReader } from '@varve/storage';

/** What a conversation used, in the words of the documents this class comes from. */
export interface Metrics {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; calls of unknown price are left out. */
  readonly totalCost: number;
  readonly llmCallCount: number;
}

/** A task, and whether it is done. */
export interface Task extends TaskItem {
  readonly description: string;
  readonly done: boolean;
}

/**
 * A conversation as nothing but its events, held in memory: append events, and read what follows from them. The same events
 * give the same state, whoever appends them and when; a state of the first n events is the state as it was then.
 *
 * It is for looking back and for tools of your own; `Conversation` is what runs an agent.
 *
 * @see the design page "ConversationState" of the reference's early V1 (there `append_event` also writes a file)
 */
export class ConversationState {
  readonly id: string;
  readonly #codec: EventCodec;
  readonly #entries: LogEntry[] = [];
  readonly #events: BaseEvent[] = [];
  readonly #timeline;

  constructor({ id = '', kinds = [] }: { readonly id?: string; readonly kinds?: readonly EventKind[] } = {}) {
    this.id = id;
    this.#codec = eventCodec([...builtinKinds, ...kinds]);
    this.#timeline = new Timeline({
      codec: this.#codec,
      projections: {
        status: statusProjection,
        stats: statsProjection,
        taskList: taskListProjection,
        counts: countsProjection,
      },
    });
  }

  /** Reads a stored conversation, without its lease. @throws {StorageError} `missing`, `io`. */
  static async load(store: EventStore, id: string, kinds: readonly EventKind[] = []): Promise<ConversationState> {
    const state = new ConversationState({ id, kinds });
    await state.follow(await store.read(id));
    return state;
  }

  /** Adds what a log has beyond these events. Await it before the next one. @throws {StorageError} */
  async follow(log: LogReader): Promise<void> {
    for await (const entry of log.range(this.#entries.length)) await this.#append(this.#codec.read(entry.text), entry);
  }

  /** Adds an event as it is. Await it before the next one. @throws {EventError} when it cannot be encoded. */
  async appendEvent(event: BaseEvent): Promise<void> {
    const { id, kind, parent_id: parentId } = event;
    const entry = { seq: this.#entries.length, id, kind, parentId, text: this.#codec.encode(event) };
    await this.#append(event, entry);
  }

  /**
   * Stores what the store does not have yet, and makes the conversation there if it has none of this id.
   *
   * @throws {StorageError} `conflict` when the stored events are not the beginning of these, `held`, `invalid`, `io`.
   */
  async save(store: EventStore): Promise<void> {
    await using log = await store.open(this.id).catch((error: unknown) => {
      if (error instanceof StorageError && error.code === 'missing') return store.create(this.id, {});
      throw error;
    });
    const head = await log.head();
    for await (const { seq, text } of log.range(0)) {
      if (this.#entries[seq]?.text === text) continue;
      throw new StorageError('conflict', `Event ${seq} of conversation ${this.id} is stored otherwise already.`);
    }
    await log.append(this.#entries.slice(head), { expectedHead: head });
  }

  /** Everything that was appended, oldest first. */
  get events(): readonly BaseEvent[] {
    return this.#events;
  }

  /** The events that a model can read, also those that were condensed away. */
  get conversationHistory(): readonly BaseEvent[] {
    return this.#events.filter(({ kind }) => this.#codec.kind(kind)?.isForModel === true);
  }

  get agentExecutionStatus(): ExecutionStatus {
    return this.#timeline.read('status').execution;
  }

  /** Replies of the model so far. */
  get iteration(): number {
    return this.#timeline.read('counts').iterations;
  }

  get metrics(): Metrics {
    const { input_tokens, output_tokens, cost_usd, calls } = this.#timeline.read('stats').total;
    return { inputTokens: input_tokens, outputTokens: output_tokens, totalCost: cost_usd, llmCallCount: calls };
  }

  get taskList(): readonly Task[] {
    return this.#timeline
      .read('taskList')
      .map((item) => ({ ...item, description: item.title, done: item.status === 'done' }));
  }

  async #append(event: BaseEvent, entry: LogEntry): Promise<void> {
    this.#entries.push(entry);
    this.#events.push(event);
    if (this.#timeline.push(event, entry.seq, entry.id)) return;
    await this.#timeline.refold((from) => this.#entries.slice(from));
  }
}
