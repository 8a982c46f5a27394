import type { EventStore, Replicas, Summary } from '@varve/storage';
import { unlessMissing } from '@varve/storage/kit';
import { isOutage } from '../live/execute-run.ts';
import type { SpanSink } from '@varve/events/spans';
import { keyedQueue, type OwnerQueue, repeatedly, RunQueue } from '../queues.ts';
import { OpenConversations, type OpenConversation, type OpenConversationsOptions } from './open-conversations.ts';
import { abandonedRuns, isOwned, recoverRuns, runningIds } from './recover.ts';

/** Is notified of the conversations that a process opens and closes. */
export interface ConversationWatcher {
  /** Called before a stored conversation is opened, and after a new one was created. Idempotent. */
  watch(id: string, from: 'start' | 'now'): Promise<void>;
  /** Called when a conversation is closed, or could not be opened. It must not reject. */
  unwatch(id: string): Promise<void>;
}

/** Options of {@link ConversationHost} that a person sets. */
export interface HostingOptions {
  /** Maximum number of runs at a time; the others wait. Default 8. */
  readonly maxRuns?: number | undefined;
  /** Number of runs that wait from which on no other one is requested. Default 1000. */
  readonly maxWaiting?: number | undefined;
  /** Number of runs of an owner that are active or wait, from which on no other one is requested. Default: no limit. */
  readonly maxRunsByOwner?: number | undefined;
  /**
   * Lets another process continue a run that this host ends when it closes, or for which it has no room. Default: the
   * next `recover` continues it, and runs wait here.
   */
  readonly abandon?: Replicas['abandon'] | undefined;
  /** Called when a run has ended and none waits here: there may be one to take over. */
  readonly onRoom?: (() => void) | undefined;
  /** Milliseconds without use after which a conversation is closed. Default 20 minutes. */
  readonly idleMs?: number | undefined;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: ((ms: number, tick: () => void) => Disposable) | undefined;
  /** Receives the spans of the conversations. Default: none. */
  readonly spans?: SpanSink | undefined;
  /** Clock in UTC milliseconds; default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Receives a failure that no result contains: a bug, or a store that failed. Default: ignored. */
  readonly onFailure?: ((error: unknown, conversationId: string) => void) | undefined;
}

/** How a host opens conversations. */
export interface ConversationSource<Live extends OpenConversation> extends HostingOptions {
  /** Store of the conversations; the caller closes it after the host. */
  readonly store: EventStore;
  /** Opens a stored conversation and takes its lease. Its runs use the queue. */
  readonly load: (id: string, queue: OwnerQueue) => Promise<Live>;
  /** Returns true for a conversation that a host created, whose runs are continued. */
  readonly isHosted: (summary: Summary) => Promise<boolean>;
  readonly watcher?: ConversationWatcher | undefined;
  /** Removes what is stored of a conversation. Default: its log. */
  readonly removeStored?: ((id: string) => Promise<void>) | undefined;
}

/** Figures of a host from which an operator sees what is stuck. */
export interface HostFigures {
  /** Milliseconds since the oldest active run began, and since the oldest one that waits here was requested. */
  readonly ages: { readonly running: number; readonly waiting: number };
  /** Conversations that no process has, those that were changed first before others, when this host last looked. */
  readonly unowned: readonly string[];
  /** Number of runs that had begun and were continued after another process, or an earlier one. */
  readonly continued: number;
  /** Number of conversations that could not be left for another process to continue. */
  readonly failedHandOvers: number;
}

const minute = 60_000;
/** Interval in which runs that a failure of the store ended are continued: a disk may have space again. */
const stalledMs = 10_000;
/** Wait for the current step of a run when its conversation is removed. @see agent-server 1.43.1 delete */
const removeWaitMs = 10_000;

/** The conversations of a store in this process: each is opened once, by its first user, and closed when it is idle. */
export class ConversationHost<Live extends OpenConversation> implements AsyncDisposable {
  /** Queue of the runs of all conversations. */
  readonly queue: RunQueue;
  readonly #source: ConversationSource<Live>;
  readonly #open: OpenConversations<Live>;
  readonly #changes = keyedQueue();
  readonly #creations = keyedQueue();
  /** Conversations of other programs that processes left: they are not looked at again. */
  readonly #foreign = new Set<string>();
  /** Conversations that could not be continued yet: the store failed, or a process that ended had them. */
  readonly #missed = new Set<string>();
  /** Conversations whose runs are being taken over, and do not wait yet. */
  readonly #taking = new Set<string>();
  #continued = 0;
  #unowned: readonly string[] = [];
  #watch: Disposable | undefined;

  constructor(source: ConversationSource<Live>) {
    const {
      maxRuns = 8,
      maxWaiting = 1000,
      maxRunsByOwner: maxByOwner,
      store,
      load,
      watcher,
      abandon,
      onRoom,
    } = source;
    const { idleMs = 20 * minute, now = Date.now, every = repeatedly } = source;
    this.#source = source;
    const countRuns = (owner: string): Promise<number> => store.count({ owner, statuses: ['running'] });
    this.queue = new RunQueue(maxRuns, { maxWaiting, maxByOwner, countRuns, onRoom, now });
    const options: OpenConversationsOptions<Live> = {
      load: async (id) => load(id, this.queue.of((await store.summary(id)).owner ?? '')),
      onOpen: async (id, from) => watcher?.watch(id, from),
      onClose: async (id) => watcher?.unwatch(id),
      abandon,
      idleMs,
      now,
      every,
      onFailure: (error) => source.onFailure?.(error, ''),
    };
    this.#open = new OpenConversations(options);
  }

  /** Number of runs that are active, and that wait. */
  get load(): { readonly running: number; readonly waiting: number } {
    const { running, waiting, waitingElsewhere } = this.queue;
    return { running, waiting: waiting + waitingElsewhere };
  }

  get figures(): HostFigures {
    const { ages } = this.queue;
    return { ages, unowned: this.#unowned, continued: this.#continued, failedHandOvers: this.#open.failedHandOvers };
  }

  /** Lets `work` use a conversation, which stays open until it ends. @throws what opening it and `work` throw. */
  use<Result>(id: string, work: (live: Live) => Promise<Result>): Promise<Result> {
    return this.#open.use(id, work);
  }

  /** As `use`, for work that replaces what it read: it begins after the change before. */
  change<Result>(id: string, work: (live: Live) => Promise<Result>): Promise<Result> {
    return this.use(id, (live) => this.#changes(id, () => work(live)));
  }

  /** Executes the creation of a conversation after the one before with its id. */
  creating<Result>(id: string, create: () => Promise<Result>): Promise<Result> {
    return this.#creations(id, create);
  }

  /** Adds a conversation that `make` creates. @throws {StorageError} `exists` if it is open; what `make` throws. */
  add(id: string, make: (queue: OwnerQueue) => Promise<Live>, owner = ''): Promise<void> {
    return this.#open.add(id, () => make(this.queue.of(owner)));
  }

  /** Returns true for a conversation that is open in this process. */
  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Closes a conversation without a wait, so that its next user opens it again. */
  reopen(id: string): Promise<void> {
    return this.#open.close(id, AbortSignal.abort());
  }

  /** Closes a conversation so that another process continues its run; the signal cancels its step. */
  giveUp(id: string, signal: AbortSignal): Promise<void> {
    return this.#open.giveUp(id, signal);
  }

  /** Stops a run, closes the conversation and removes it with all its data. */
  async remove(id: string): Promise<void> {
    const { store, removeStored = (removed) => store.remove(removed) } = this.#source;
    const live = await this.#open.find(id);
    const waited = AbortSignal.timeout(removeWaitMs);
    // Another removal may close it.
    await live?.hosted.interrupt().catch(() => undefined);
    await this.#open.remove(id, waited, () => removeStored(id));
  }

  /**
   * Continues the runs that a crash ended, and from now on those that a failure of the store ends here. Resolves when
   * those of the crash are requested.
   */
  async recover(): Promise<void> {
    const { store, isHosted, abandon, every = repeatedly } = this.#source;
    const { replicas } = store;
    if (abandon && replicas) {
      // Those that have no room here are taken over later.
      await replicas.abandonRunning();
      await this.takeOver(await replicas.abandoned());
      return;
    }
    // Replicas take such runs over.
    if (abandon === undefined) this.#watch ??= every(stalledMs, () => void this.#continueStalled());
    await this.#recover(runningIds(store, isHosted));
  }

  /**
   * Continues the runs of these conversations, whose processes ended or had no room for them, and those that a failure
   * of the store ended here, as long as there is room.
   */
  async takeOver(ids: readonly string[]): Promise<void> {
    const own = ids.filter((id) => !this.#foreign.has(id));
    this.#unowned = own;
    this.queue.waitingElsewhere = own.length;
    const stalled = await this.#open.closeStalled();
    const hasRoom = (): boolean => this.queue.room > this.#taking.size && !this.#open.isEnding;
    const taken = [...stalled, ...own].filter((id) => !this.#taking.has(id));
    await this.#recoverAbandoned(taken, hasRoom);
  }

  /** Returns true for a conversation that is stored. */
  async exists(id: string): Promise<boolean> {
    return (await unlessMissing(this.#source.store.summary(id))) !== undefined;
  }

  /** Pauses all runs and closes all conversations; the signal ends the wait for their current steps. */
  release(signal: AbortSignal): Promise<void> {
    return this.#open.release(signal);
  }

  /** Closes all conversations so that their runs are continued later, or by others; the signal cancels their steps. */
  handOver(signal: AbortSignal): Promise<void> {
    return this.#open.handOver(signal);
  }

  /** As `handOver`; then nothing can be opened. Idempotent. */
  close(signal: AbortSignal): Promise<void> {
    this.#watch?.[Symbol.dispose]();
    return this.#open.closeAll(signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close(AbortSignal.abort());
  }

  async #continueStalled(): Promise<void> {
    await this.#open.continueStalled();
    const missed = new Set(this.#missed);
    this.#missed.clear();
    await this.#recoverAbandoned([...missed], () => true, missed).catch((error: unknown) => {
      for (const id of missed) this.#missed.add(id);
      this.#source.onFailure?.(error, '');
    });
  }

  #recoverAbandoned(ids: readonly string[], hasRoom: () => boolean, known?: ReadonlySet<string>): Promise<void> {
    const { store, isHosted } = this.#source;
    const onForeign = (id: string): void => void this.#foreign.add(id);
    return this.#recover(abandonedRuns(ids, { store, isHosted, hasRoom, onForeign }), known);
  }

  /** Failures of `known` conversations are not reported again. */
  async #recover(ids: AsyncGenerator<string>, known: ReadonlySet<string> = new Set()): Promise<void> {
    const { store } = this.#source;
    const use: typeof this.use = async (id, work) => {
      this.#taking.add(id);
      return this.use(id, work).finally(() => this.#taking.delete(id));
    };
    const onFailure = (error: unknown, id: string): void => {
      if (this.#watch && isOutage(error)) this.#missed.add(id);
      if (!isOwned(error) && !known.has(id)) this.#source.onFailure?.(error, id);
    };
    await recoverRuns(ids, { store, use, onFailure, onContinued: () => (this.#continued += 1) });
  }
}
