import { randomUUID } from 'node:crypto';
import { timestamps, type BaseEvent, type EventCodec, type Json } from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { statusProjection, type Status } from '@varve/events/projections';
import { StorageError, type AppendOptions, type EventLog, type NewEvent, type Signer } from '@varve/storage';
import type { Mask } from '@varve/text';
import { stateOf, type ConversationState, type ConversationTimeline } from './conversation-state.ts';
import type { Draft } from './drafts.ts';
import { maskEvent } from './mask-event.ts';
import { goalProjection, type GoalState } from './projections/goal-projection.ts';
import type { SpanFeed } from './span-feed.ts';
import { stampDrafts } from './stamp-drafts.ts';

/** Time after an append during which no other process can take the conversation over: leases are longer by default. */
const heldMs = 5_000;

/** Drafts of one append, or a function that is called once everything emitted before is folded. */
type Drafts = readonly Draft[] | (() => readonly Draft[]);

/** Options of {@link Journal}. */
export interface JournalOptions {
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** State folded up to the head of the log. Owned by the journal from now on: nothing else may fold it. */
  readonly timeline: ConversationTimeline;
  /** Replaces secrets. */
  readonly mask: Mask;
  /** Tool names, which are never masked. */
  readonly toolNames?: Pick<ReadonlySet<string>, 'has'>;
  /** Returns the `meta` of the listing for a status and the last goal. */
  readonly metaOf: (status: Status, goal: GoalState | undefined) => Json;
  /** Returns events to store before the next ones, because they apply to them; none if the log contains them. */
  readonly preamble?: () => readonly Draft[];
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Ids of events; default random UUIDs. */
  readonly newId?: () => string;
  /** Timestamp of the last stored event; new events get later ones. */
  readonly lastTimestamp?: string;
  /** Signs the seals of the events. */
  readonly signer?: Signer;
  /** Receives the events once they are folded. */
  readonly spans?: SpanFeed;
  /** Called with the error of an append which finds that another process took the lease. Must not throw. */
  readonly onFenced?: (error: StorageError) => void;
}

/**
 * The only writer of a conversation's log. Each event is stamped, masked, stored and then folded, so that the state
 * never contains an event that is not stored.
 *
 * Emits run one after the other. A failed emit folds nothing, and the next one first folds what reached the log in
 * spite of the failure.
 */
export class Journal {
  /** State of the conversation. */
  readonly timeline: ConversationTimeline;
  readonly #options: JournalOptions;
  readonly #timestamp: () => string;
  readonly #newId: () => string;
  #queue: Promise<unknown> = Promise.resolve();
  /** Monotonic time at which the last append that succeeded began. */
  #heldAt = Number.NEGATIVE_INFINITY;
  /** True if the log may contain events that are not folded. */
  #isBehind = false;
  /** State before events that move to another branch, until they are folded. */
  #stateBefore: ConversationState | undefined;
  /** JSON of the last stored `meta`. */
  #meta = '';

  constructor(options: JournalOptions) {
    this.#options = options;
    this.timeline = options.timeline;
    this.#newId = options.newId ?? randomUUID;
    this.#timestamp = timestamps(options.now, options.lastTimestamp);
  }

  /** State of the conversation; while it moves to another branch, the state before the move. */
  get state(): ConversationState {
    return this.#stateBefore ?? stateOf(this.timeline);
  }

  newId(): string {
    return this.#newId();
  }

  /**
   * Appends events as one transaction, after a preamble, and resolves with them as stored. No drafts append nothing.
   *
   * @throws {StorageError} what the log throws; {@link EventError} when a draft makes an invalid event (a bug); what
   * the function of drafts throws.
   */
  emit(drafts: Drafts): Promise<readonly BaseEvent[]> {
    return this.#enqueue(async () => {
      await this.#refold();
      const { preamble, events } = this.#makeEvents(drafts);
      if (events.length > 0) await this.#store([...preamble, ...events]);
      return events;
    });
  }

  /** Appends the preamble alone, if there is one. @throws what {@link emit} throws. */
  async emitPreamble(): Promise<void> {
    await this.#enqueue(async () => {
      await this.#refold();
      const preamble = this.#stamped(this.#preamble());
      if (preamble.length > 0) await this.#store(preamble);
    });
  }

  /**
   * Folds what reached the log in spite of a failed append. Resolves with the position at which log and state were
   * equal; the state may have advanced when the caller continues.
   *
   * @throws {StorageError}
   */
  catchUp(): Promise<{ readonly head: number; readonly leafId: string | undefined }> {
    return this.#enqueue(async () => {
      await this.#refold();
      const { head, leafId } = this.timeline;
      return { head, leafId };
    });
  }

  /**
   * Resolves if no other process has taken the conversation over, which a stopped process does not notice. To be
   * awaited right before a change that is not in the log.
   *
   * @throws {StorageError} `fenced` if one has.
   */
  async checkLease(): Promise<void> {
    if (performance.now() - this.#heldAt >= heldMs) await this.#enqueue(async () => this.#append([], {}));
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #makeEvents(drafts: Drafts): { readonly preamble: readonly BaseEvent[]; readonly events: readonly BaseEvent[] } {
    const list = typeof drafts === 'function' ? drafts() : drafts;
    const preamble = list.length > 0 ? this.#preamble() : [];
    const all = this.#stamped([...preamble, ...list]);
    return { preamble: all.slice(0, preamble.length), events: all.slice(preamble.length) };
  }

  #preamble(): readonly Draft[] {
    return this.#options.preamble?.() ?? [];
  }

  #stamped(drafts: readonly Draft[]): readonly BaseEvent[] {
    const { codec, mask, toolNames } = this.#options;
    const { head, leafId } = this.timeline;
    const events = stampDrafts(drafts, { head, leafId, codec, timestamp: this.#timestamp, newId: this.#newId });
    return events.map((event) => maskEvent(event, mask, toolNames));
  }

  /** Appends events, then folds them. */
  async #store(events: readonly BaseEvent[]): Promise<void> {
    const { codec, signer, spans } = this.#options;
    const { head } = this.timeline;
    const meta = this.#changedMeta(events);
    const rows = events.map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: codec.encode(event),
    }));
    await this.#append(rows, { expectedHead: head, ...(meta !== undefined && { meta }), ...(signer && { signer }) });
    if (meta !== undefined) this.#meta = JSON.stringify(meta);
    if (events.some(movesToBranch)) this.#stateBefore = stateOf(this.timeline);
    // An event that moves to another branch is folded from the log.
    this.#isBehind = events.map((event, index) => this.timeline.push(event, head + index)).includes(false);
    await this.#refold();
    await spans?.stored(events, head);
  }

  async #append(rows: readonly NewEvent[], options: AppendOptions): Promise<void> {
    const { log, onFenced } = this.#options;
    const began = performance.now();
    try {
      await log.append(rows, options);
    } catch (error) {
      // The append may have reached the log all the same.
      this.#meta = '';
      this.#isBehind = true;
      if (error instanceof StorageError && error.code === 'fenced') onFenced?.(error);
      throw error;
    }
    this.#heldAt = began;
  }

  /** Folds what the log contains and the timeline may lack. */
  async #refold(): Promise<void> {
    if (this.#isBehind) await this.timeline.load((from) => this.#options.log.range(from));
    this.#isBehind = false;
    this.#stateBefore = undefined;
  }

  /**
   * The new `meta` if these events change it: stored in the same append, so that both survive a crash or neither does.
   */
  #changedMeta(events: readonly BaseEvent[]): Json | undefined {
    const before: Status = this.timeline.read('status');
    const after = events.reduce((status, event, index) => statusProjection.apply(status, event, index), before);
    const { goal } = events.reduce(
      (state, event, index) => goalProjection.apply(state, event, index),
      this.timeline.read('goal'),
    );
    const meta = this.#options.metaOf(after, goal);
    return JSON.stringify(meta) === this.#meta ? undefined : meta;
  }
}

function movesToBranch(event: BaseEvent): boolean {
  return ConversationStateUpdateEvent.is(event) && event.key === leafKey;
}
