import { randomUUID } from 'node:crypto';
import { timestamps, type BaseEvent, type EventCodec, type Json } from '@varve/events';
import { statusProjection, type Status } from '@varve/events/projections';
import type { EventLog } from '@varve/storage';
import type { Signer } from '@varve/storage/proof';
import type { Mask } from '@varve/text';
import { conversationTimeline, type ConversationTimeline } from './conversation-state.ts';
import { DeferredLog } from './deferred-log.ts';
import type { Draft } from './drafts.ts';
import { maskEvent } from './mask-event.ts';
import { goalProjection, type GoalState } from './projections/goal-projection.ts';
import { stampDrafts } from './stamp-drafts.ts';

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
}

/**
 * The only writer of a conversation's log. Each event is stamped, masked, stored and then folded, so that the state
 * never contains an event that is not stored; {@link Journal.emitDeferred} is the one exception.
 *
 * Emits run one after the other. A failed emit folds nothing, and the next one first folds what reached the log in
 * spite of the failure.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #log: DeferredLog;
  readonly #timestamp: () => string;
  readonly #newId: () => string;
  #timeline: ConversationTimeline;
  #queue: Promise<unknown> = Promise.resolve();
  /** Part of the timeline that may differ from the log: its end, or all of it after deferred events were lost. */
  #staleness: 'none' | 'end' | 'all' = 'none';
  /** JSON of the last stored `meta`. */
  #meta = '';

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#log = new DeferredLog(options.log, options.codec);
    this.#timeline = options.timeline;
    this.#newId = options.newId ?? randomUUID;
    this.#timestamp = timestamps(options.now, options.lastTimestamp);
  }

  /** State of the conversation. Another object after a loss. */
  get timeline(): ConversationTimeline {
    return this.#timeline;
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
   * Folds events now and stores them with the next append, at the latest on the next turn of the event loop. Only for
   * work that may be repeated when it is lost, and only before the next reply of the model is processed.
   *
   * When the events cannot be stored they are lost: every emit then fails with the reason until {@link resetAfterLoss}.
   *
   * @throws what `emit` throws, except errors of the log about these events.
   */
  emitDeferred(drafts: Drafts): Promise<void> {
    return this.#enqueue(async () => {
      await this.#refold();
      const { preamble, events } = this.#makeEvents(drafts);
      this.#log.defer([...preamble, ...events]);
      this.#fold([...preamble, ...events]);
      if (this.#staleness !== 'none') await this.#store([]);
      // The next request has been written by then. A failure is reported by the next emit.
      else if (this.#log.hasUnsaved) setImmediate(() => void this.flush().catch(() => undefined));
    });
  }

  /** Aborts when deferred events are lost. Another signal after {@link resetAfterLoss}. */
  get lossSignal(): AbortSignal {
    return this.#log.lossSignal;
  }

  /**
   * Resolves when everything emitted so far is stored. @throws {StorageError} what the log threw, also after a loss.
   */
  async flush(): Promise<void> {
    if (this.#log.hasUnsaved || this.lossSignal.aborted) await this.catchUp();
  }

  /**
   * Stores deferred events and folds what reached the log in spite of a failed append. Resolves with the position at
   * which log and state were equal; the state may have advanced when the caller continues.
   *
   * @throws {StorageError}
   */
  catchUp(): Promise<{ readonly head: number; readonly leafId: string | undefined }> {
    return this.#enqueue(async () => {
      await this.#refold();
      await this.#store([]);
      const { head, leafId } = this.#timeline;
      return { head, leafId };
    });
  }

  /**
   * Stores deferred events, accepts emits again after a loss, and folds the log again, so that the state contains no
   * lost event. Called when the run that deferred them has ended and has seen {@link lossSignal}. Never rejects.
   */
  async resetAfterLoss(): Promise<void> {
    await this.flush().catch(() => undefined);
    this.#log.resetLoss();
    // What cannot be read now is folded before the next emit.
    await this.catchUp().catch(() => undefined);
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
    const { head, leafId } = this.#timeline;
    const events = stampDrafts(drafts, { head, leafId, codec, timestamp: this.#timestamp, newId: this.#newId });
    return events.map((event) => maskEvent(event, mask, toolNames));
  }

  /** Appends deferred events and `events`, then folds `events`. */
  async #store(events: readonly BaseEvent[]): Promise<void> {
    const { signer } = this.#options;
    const meta = this.#changedMeta(events);
    const wasDeferring = this.#log.hasUnsaved;
    if (!wasDeferring && events.length === 0) return;
    try {
      await this.#log.append(events, {
        head: this.#timeline.head,
        ...(meta !== undefined && { meta }),
        ...(signer && { signer }),
      });
    } catch (error) {
      // The append may have reached the log all the same.
      this.#meta = '';
      this.#staleness = wasDeferring ? 'all' : 'end';
      throw error;
    }
    if (meta !== undefined) this.#meta = JSON.stringify(meta);
    this.#fold(events);
    await this.#refold();
  }

  #fold(events: readonly BaseEvent[]): void {
    const { head } = this.#timeline;
    const extended = events.map((event, index) => this.#timeline.push(event, head + index));
    // An event that moves to another branch is folded from the log.
    if (extended.includes(false)) this.#staleness = 'end';
  }

  /** Folds what the log contains where the timeline may differ from it. @throws the reason of a loss. */
  async #refold(): Promise<void> {
    this.lossSignal.throwIfAborted();
    if (this.#staleness === 'none') return;
    const timeline = this.#staleness === 'all' ? conversationTimeline(this.#options.codec) : this.#timeline;
    await timeline.load((from) => this.#log.range(from));
    this.#timeline = timeline;
    this.#staleness = 'none';
  }

  /**
   * The new `meta` if these events change it: stored in the same append, so that both survive a crash or neither does.
   */
  #changedMeta(events: readonly BaseEvent[]): Json | undefined {
    const before: Status = this.#timeline.read('status');
    const after = events.reduce((status, event, index) => statusProjection.apply(status, event, index), before);
    const { goal } = events.reduce(
      (state, event, index) => goalProjection.apply(state, event, index),
      this.#timeline.read('goal'),
    );
    const meta = this.#options.metaOf(after, goal);
    return JSON.stringify(meta) === this.#meta ? undefined : meta;
  }
}
