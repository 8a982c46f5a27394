import { randomUUID } from 'node:crypto';
import {
  ConversationStateUpdateEvent,
  timestamps,
  type BaseEvent,
  type EventCodec,
  type Json,
  type Stamp,
} from '@varve/events';
import { leafKey } from '@varve/events/facts';
import { statusProjection, type Status } from '@varve/events/projections';
import type { EventLog } from '@varve/storage';
import type { Signer } from '@varve/storage/proof';
import type { Mask } from '@varve/tools';
import { conversationTimeline, type ConversationTimeline } from './conversation-state.ts';
import { maskEvent } from './mask-event.ts';

/** An event in the making: everything but the stamp. A fixed `id` lets other events of the same append name it. */
export interface Draft {
  readonly id?: string;
  readonly make: (stamp: Stamp) => BaseEvent;
}

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
 * The one way into a log. An event is stamped, masked and stored, and nobody is told of it before it is stored.
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
  #behind: readonly BaseEvent[] = [];
  #isStoringSoon = false;
  #loss: { readonly reason: unknown } | undefined;
  #losing = new AbortController();
  /** What of the timeline may differ from the log and what is behind it. */
  #doubt: 'none' | 'end' | 'all' = 'none';
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

  /** Aborts when events of {@link emitBehind} are lost, until {@link recover}. */
  get lost(): AbortSignal {
    return this.#losing.signal;
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
      const events = this.#made(drafts);
      return events.length === 0 ? [] : this.#append(events);
    });
  }

  /**
   * Folds events now, and stores them with the next ones or as soon as nothing else is to do: for what can be done again
   * should it be lost, and only while the next reply of the model has not come. Everything else waits for {@link emit}.
   *
   * When they cannot be stored they are lost: then every emit fails with the reason, until {@link recover}.
   *
   * @throws what `emit` throws, except for what the log does with these events.
   */
  emitBehind(drafts: Drafts): Promise<void> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      const events = this.#made(drafts);
      this.#behind = [...this.#behind, ...events];
      this.#fold(events);
      if (this.#doubt !== 'none') await this.#append([]);
      else if (this.#behind.length > 0) this.#storeSoon();
    });
  }

  /** Resolves when everything emitted so far is stored. @throws {StorageError} what the log threw, also at what is lost. */
  async flush(): Promise<void> {
    if (this.#behind.length > 0 || this.#loss) await this.catchUp();
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
  async recover(): Promise<void> {
    await this.flush().catch(() => undefined);
    if (!this.#loss) return;
    this.#loss = undefined;
    this.#losing = new AbortController();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Once the loop of events comes round: by then the next request was sent, if there is one. */
  #storeSoon(): void {
    if (this.#isStoringSoon) return;
    this.#isStoringSoon = true;
    setImmediate(() => {
      this.#isStoringSoon = false;
      // Who emits next is told.
      this.flush().catch(() => undefined);
    });
  }

  #made(drafts: Drafts): readonly BaseEvent[] {
    const { mask, toolNames } = this.#options;
    const wanted = typeof drafts === 'function' ? drafts() : drafts;
    return this.#stamped(wanted).map((event) => maskEvent(event, mask, toolNames));
  }

  /** Stores what is behind and then `events`, as one act. */
  async #append(events: readonly BaseEvent[]): Promise<readonly BaseEvent[]> {
    const all = [...this.#behind, ...events];
    if (all.length === 0) return events;
    const { log, codec, signer } = this.#options;
    const meta = this.#changedMeta(events);
    const rows = all.map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: codec.encode(event),
    }));
    const expectedHead = this.#timeline.head - this.#behind.length;
    try {
      await log.append(rows, { expectedHead, ...(meta !== undefined && { meta }), ...(signer && { signer }) });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    this.#behind = [];
    if (meta !== undefined) this.#meta = JSON.stringify(meta);
    this.#fold(events);
    await this.#catchUp();
    return events;
  }

  #fold(events: readonly BaseEvent[]): void {
    const { head } = this.#timeline;
    const extended = events.map((event, index) => this.#timeline.push(event, head + index));
    // To another branch, which is folded from what the log holds.
    if (extended.includes(false)) this.#doubt = 'end';
  }

  #fail(reason: unknown): void {
    // It may have been stored all the same.
    this.#meta = '';
    this.#doubt = this.#behind.length > 0 ? 'all' : 'end';
    if (this.#behind.length === 0) return;
    this.#behind = [];
    this.#loss = { reason };
    this.#losing.abort(reason);
  }

  async #catchUp(): Promise<void> {
    if (this.#loss) throw this.#loss.reason;
    if (this.#doubt === 'none') return;
    const { codec, log } = this.#options;
    const timeline = this.#doubt === 'all' ? conversationTimeline(codec) : this.#timeline;
    await timeline.load((from) => log.range(from));
    this.#timeline = timeline;
    this.#doubt = 'none';
  }

  #stamped(drafts: readonly Draft[]): readonly BaseEvent[] {
    let { leafId, head } = this.#timeline;
    return drafts.map(({ id = this.#newId(), make }) => {
      const parent = leafId ?? (head === 0 ? undefined : '__root__');
      const event = make({ id, timestamp: this.#timestamp(), ...(parent !== undefined && { parent_id: parent }) });
      if (this.#options.codec.kind(event.kind)?.movesHead !== false) leafId = event.id;
      else if (ConversationStateUpdateEvent.is(event) && event.key === leafKey) leafId = leafOf(event.value);
      head += 1;
      return event;
    });
  }

  /** The listing is told of a new status in the same append that brings it, so both survive a crash or neither. */
  #changedMeta(events: readonly BaseEvent[]): Json | undefined {
    const before: Status = this.#timeline.read('status');
    const after = events.reduce((status, event, index) => statusProjection.apply(status, event, index), before);
    const meta = this.#options.metaOf(after);
    return JSON.stringify(meta) === this.#meta ? undefined : meta;
  }
}

/** Where an update of the leaf puts it; undefined is before every event. */
function leafOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== '__root__' ? value : undefined;
}
