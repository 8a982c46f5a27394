import { randomUUID } from 'node:crypto';
import { timestamps, type BaseEvent, type EventCodec, type Json } from '@varve/events';
import { statusProjection, type Status } from '@varve/events/projections';
import type { EventLog } from '@varve/storage';
import type { Signer } from '@varve/storage/proof';
import type { Mask } from '@varve/text';
import { conversationTimeline, type ConversationTimeline } from './conversation-state.ts';
import type { Draft } from './drafts.ts';
import { maskEvent } from './mask-event.ts';
import { stampDrafts } from './stamp-drafts.ts';

type Drafts = readonly Draft[] | (() => readonly Draft[]);

/** What a journal writes to, and how. */
export interface JournalOptions {
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** Folded up to the head of the log. From now on the journal's: nobody else folds it. */
  readonly timeline: ConversationTimeline;
  /** Hides secrets. */
  readonly mask: Mask;
  /** Names that stay, whatever is in them. */
  readonly toolNames?: Pick<ReadonlySet<string>, 'has'>;
  /** The listing's `meta` after the events. */
  readonly metaOf: (status: Status) => Json;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly newId?: () => string;
  /** The timestamp of the last event, so that ours come after it. */
  readonly lastTimestamp?: string;
  /** Signs the seals of the events. */
  readonly signer?: Signer;
}

/**
 * The one way into a log. An event is stamped, masked, stored and then folded, so that nobody is told of it before it is
 * stored; what can be done again may be folded first ({@link Journal.emitDeferred}).
 *
 * Emits are carried out one after the other. When one fails nothing of it is folded, and the next one first folds
 * whatever did reach the log.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #timestamp: () => string;
  readonly #newId: () => string;
  #timeline: ConversationTimeline;
  #queue: Promise<unknown> = Promise.resolve();
  /** Folded, and not stored yet. */
  #unsaved: readonly BaseEvent[] = [];
  /** Aborted when what was behind is lost, with the reason. */
  #lossSignal = new AbortController();
  /** What of the timeline may differ from the log and what is behind it. */
  #staleness: 'none' | 'end' | 'all' = 'none';
  #meta = '';

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#timeline = options.timeline;
    this.#timestamp = timestamps(options.now, options.lastTimestamp);
    this.#newId = options.newId ?? randomUUID;
  }

  /** The state. Another object after a loss. */
  get timeline(): ConversationTimeline {
    return this.#timeline;
  }

  /** Aborts when events of {@link emitDeferred} are lost, until {@link resetAfterLoss}. */
  get lossSignal(): AbortSignal {
    return this.#lossSignal.signal;
  }

  newId(): string {
    return this.#newId();
  }

  /**
   * Appends events as one act, and resolves with them as they are stored. Drafts that depend on the state are given as a
   * function: it is asked when everything emitted before is folded. None of them appends nothing.
   *
   * @throws {StorageError} what the log threw; {@link EventError} when a draft makes no valid event (a bug); what the
   * function throws.
   */
  emit(drafts: Drafts): Promise<readonly BaseEvent[]> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      const events = this.#make(drafts);
      return events.length === 0 ? [] : this.#append(events);
    });
  }

  /**
   * Folds events now, and stores them with the next ones or as soon as nothing else is to do: for what can be done again
   * should it be lost, and only while the next reply of the model has not come. Everything else waits for {@link emit}.
   *
   * When they cannot be stored they are lost: then every emit fails with the reason, until {@link resetAfterLoss}.
   *
   * @throws what `emit` throws, except for what the log does with these events.
   */
  emitDeferred(drafts: Drafts): Promise<void> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      const events = this.#make(drafts);
      this.#unsaved = [...this.#unsaved, ...events];
      this.#fold(events);
      if (this.#staleness !== 'none') await this.#append([]);
      else if (this.#unsaved.length > 0) this.#storeSoon();
    });
  }

  /** Resolves when everything emitted so far is stored. @throws {StorageError} what the log threw, also at what is lost. */
  async flush(): Promise<void> {
    if (this.#unsaved.length > 0 || this.#lossSignal.signal.aborted) await this.catchUp();
  }

  /**
   * Stores what is behind, and folds what reached the log although its append failed. Resolves with the place up to which log
   * and state are then the same; the state may go on before the caller does.
   *
   * @throws {StorageError}
   */
  catchUp(): Promise<{ readonly head: number; readonly leafId: string | undefined }> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      await this.#append([]);
      const { head, leafId } = this.#timeline;
      return { head, leafId };
    });
  }

  /**
   * Whoever emitted what is behind is over, and knows of it should it be lost: once it is stored or lost, the journal tells
   * what the log holds.
   */
  async resetAfterLoss(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (this.#lossSignal.signal.aborted) this.#lossSignal = new AbortController();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Once the loop of events comes round: by then the next request was sent, if there is one. */
  #storeSoon(): void {
    // Who emits next is told when it fails.
    setImmediate(() => void this.flush().catch(() => undefined));
  }

  #make(drafts: Drafts): readonly BaseEvent[] {
    const { codec, mask, toolNames } = this.#options;
    const { head, leafId } = this.#timeline;
    const wanted = typeof drafts === 'function' ? drafts() : drafts;
    const after = { head, leafId, codec, timestamp: this.#timestamp, newId: this.#newId };
    return stampDrafts(wanted, after).map((event) => maskEvent(event, mask, toolNames));
  }

  /** Stores what is behind and then `events`, as one act. */
  async #append(events: readonly BaseEvent[]): Promise<readonly BaseEvent[]> {
    const all = [...this.#unsaved, ...events];
    if (all.length === 0) return events;
    const { log, codec, signer } = this.#options;
    const meta = this.#changedMeta(events);
    const rows = all.map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: codec.encode(event),
    }));
    const expectedHead = this.#timeline.head - this.#unsaved.length;
    try {
      await log.append(rows, { expectedHead, ...(meta !== undefined && { meta }), ...(signer && { signer }) });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#unsaved = [];
    if (meta !== undefined) this.#meta = JSON.stringify(meta);
    this.#fold(events);
    await this.#catchUp();
    return events;
  }

  #fold(events: readonly BaseEvent[]): void {
    const { head } = this.#timeline;
    const extended = events.map((event, index) => this.#timeline.push(event, head + index));
    // To another branch, which is folded from what the log holds.
    if (extended.includes(false)) this.#staleness = 'end';
  }

  #fail(reason: unknown): void {
    // It may have been stored all the same.
    this.#meta = '';
    this.#staleness = this.#unsaved.length > 0 ? 'all' : 'end';
    if (this.#unsaved.length === 0) return;
    this.#unsaved = [];
    this.#lossSignal.abort(reason);
  }

  async #catchUp(): Promise<void> {
    this.#lossSignal.signal.throwIfAborted();
    if (this.#staleness === 'none') return;
    const { codec, log } = this.#options;
    const timeline = this.#staleness === 'all' ? conversationTimeline(codec) : this.#timeline;
    await timeline.load((from) => log.range(from));
    this.#timeline = timeline;
    this.#staleness = 'none';
  }

  /** The listing is told of a new status in the same append that brings it, so both survive a crash or neither. */
  #changedMeta(events: readonly BaseEvent[]): Json | undefined {
    const before: Status = this.#timeline.read('status');
    const after = events.reduce((status, event, index) => statusProjection.apply(status, event, index), before);
    const meta = this.#options.metaOf(after);
    return JSON.stringify(meta) === this.#meta ? undefined : meta;
  }
}
