import { eventCodec, freezeJson, type BaseEvent, type EventCodec, type EventKind } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { TaskItem } from '@varve/events/payloads';
import {
  statsProjection,
  statusProjection,
  taskListProjection,
  Timeline,
  type ExecutionStatus,
  type LogEntry,
} from '@varve/events/projections';
import { StorageError, type EventStore, type LogReader } from '@varve/storage';
import { countsProjection } from '../folds/counts.ts';
import { openOrCreate, StateLog, storedId, withStore, type Persistence } from './state-file.ts';

/** Usage of a conversation, under the names of the design page. */
export interface Metrics {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; calls of unknown price do not count. */
  readonly totalCost: number;
  readonly llmCallCount: number;
}

/** Item of the task list, under the names of the design page. */
export interface Task extends TaskItem {
  readonly description: string;
  readonly done: boolean;
}

/** Options of {@link ConversationState}. */
export interface StateOptions {
  readonly id?: string;
  readonly kinds?: readonly EventKind[];
  /**
   * Store, or path of a directory, in which `appendEvent` stores each event before the state changes. A store is not
   * owned. Without it the state is in memory only.
   */
  readonly persistence?: Persistence;
}

/**
 * State of a conversation, computed from its events in memory: events are appended, and the properties follow from
 * them. The same events always lead to the same state, and the state of the first n events is the state at that time.
 *
 * For inspection and custom tools; `Conversation` runs an agent. With `persistence`, dispose it to release the lease.
 *
 * @see the design page "ConversationState" of the reference's early V1
 */
export class ConversationState implements AsyncDisposable {
  readonly id: string;
  readonly #codec: EventCodec;
  readonly #entries: LogEntry[] = [];
  readonly #events: BaseEvent[] = [];
  readonly #ids = new Set<string>();
  /** Copy of the events that was returned; undefined after an append. */
  #copy: readonly BaseEvent[] | undefined;
  readonly #timeline;

  readonly #stored: StateLog | undefined;

  /** Ends when the last change with I/O ends: those happen one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  /** A state with `persistence` is empty at first: use {@link load} to continue a stored conversation. */
  constructor({ id = '', kinds = [], persistence }: StateOptions = {}) {
    this.id = id;
    this.#stored = persistence === undefined ? undefined : new StateLog(persistence, id);
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

  /**
   * Reads a stored conversation without taking its lease. Later calls of `appendEvent` store their events there.
   *
   * @param persistence A store, which is not owned, or the path of a directory.
   * @throws {StorageError} `missing`, `io`.
   */
  static async load(
    persistence: Persistence,
    id: string,
    kinds: readonly EventKind[] = [],
  ): Promise<ConversationState> {
    const state = new ConversationState({ id, kinds, persistence });
    await withStore(persistence, async (store) => state.follow(await store.read(await storedId(store, id))));
    return state;
  }

  /** Appends the events of a log that are missing here. @throws {StorageError} `conflict` for another log, `io`. */
  async follow(log: LogReader): Promise<void> {
    await this.#inOrder(async () => {
      for await (const entry of log.range(this.#entries.length)) this.#add(this.#codec.read(entry.text), entry);
    });
  }

  /**
   * Appends an event unchanged. A state in memory has changed when the call returns; one with a store changes when the
   * event is stored, which is when the promise resolves. Events are appended in the order of the calls.
   *
   * @throws {EventError} when it cannot be encoded; {@link StorageError} `conflict` when the state has an event with
   * the id or the stored log is not that of this state, `held`, `io`. Then the state is unchanged.
   */
  async appendEvent(event: BaseEvent): Promise<void> {
    const stored = this.#stored;
    // Nothing is awaited before: callers read the state without a wait.
    if (!stored) this.#add(event, this.#entryOf(event));
    else {
      await this.#inOrder(async () => {
        const entry = this.#entryOf(event);
        await (await stored.open()).append([entry], { expectedHead: entry.seq });
        this.#add(event, entry);
      });
    }
  }

  /**
   * Stores the events that a store or directory does not have yet, and creates the conversation if needed. Without one,
   * resolves when the events that were appended to a state with `persistence` are stored.
   *
   * @throws {StorageError} `conflict` when the stored events are not the beginning of these, `held`, `io`; `invalid`
   * without a store and without `persistence`.
   */
  async save(persistence?: Persistence): Promise<void> {
    await this.#inOrder(async () => {
      if (persistence !== undefined) return withStore(persistence, (store) => this.#saveIn(store));
      if (this.#stored) return undefined;
      throw new StorageError('invalid', `The state ${this.id} is in memory, and save() names no store or directory.`);
    });
  }

  async #saveIn(store: EventStore): Promise<void> {
    await using log = await openOrCreate(store, this.id);
    const head = await log.head();
    for await (const { seq, text } of log.range(0)) {
      if (this.#entries[seq]?.text === text) continue;
      throw new StorageError(
        'conflict',
        `Event ${seq} of conversation ${this.id} is already stored with another text.`,
      );
    }
    await log.append(this.#entries.slice(head), { expectedHead: head });
  }

  /** Releases the lease of the stored conversation; the next `appendEvent` takes it again. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#changes;
    await this.#stored?.[Symbol.asyncDispose]();
  }

  /** All events, oldest first. */
  get events(): readonly BaseEvent[] {
    this.#copy ??= Object.freeze(this.#events.slice());
    return this.#copy;
  }

  /** Events for the model, including condensed ones. */
  get conversationHistory(): readonly BaseEvent[] {
    return this.#events.filter(({ kind }) => this.#codec.kind(kind)?.isForModel === true);
  }

  get agentExecutionStatus(): ExecutionStatus {
    return this.#timeline.read('status').execution;
  }

  /** Number of replies of the model. */
  get iteration(): number {
    return this.#timeline.read('counts').iterations;
  }

  get metrics(): Metrics {
    const { input_tokens, output_tokens, cost_usd = 0, calls } = this.#timeline.read('stats').total;
    return { inputTokens: input_tokens, outputTokens: output_tokens, totalCost: cost_usd, llmCallCount: calls };
  }

  get taskList(): readonly Task[] {
    return this.#timeline
      .read('taskList')
      .map((item) => ({ ...item, description: item.title, done: item.status === 'done' }));
  }

  #entryOf(event: BaseEvent): LogEntry {
    const { id, kind, parent_id: parentId } = event;
    const text = this.#codec.encode(event);
    if (this.#ids.has(id)) throw new StorageError('conflict', `The state has the event ${id} already.`);
    return { seq: this.#entries.length, id, kind, parentId, text };
  }

  #add(event: BaseEvent, entry: LogEntry): void {
    if (entry.seq !== this.#entries.length) {
      throw new StorageError('conflict', `Event ${entry.seq} of a log cannot follow ${this.#entries.length} events.`);
    }
    this.#entries.push(entry);
    this.#ids.add(entry.id);
    this.#events.push(freezeJson(event));
    this.#copy = undefined;
    if (!this.#timeline.push(event, entry.seq, entry.id)) this.#timeline.refoldEntries(this.#entries);
  }

  /** Starts a change when the change before ended, also if that failed. */
  async #inOrder(change: () => Promise<void>): Promise<void> {
    const changed = this.#changes.then(change);
    this.#changes = changed.catch(() => undefined);
    await changed;
  }
}
