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
import type { ConversationTimeline } from './conversation-state.ts';
import { maskEvent } from './mask-event.ts';

/** An event in the making: everything but the stamp. A fixed `id` lets other events of the same append name it. */
export interface Draft {
  readonly id?: string;
  readonly make: (stamp: Stamp) => BaseEvent;
}

/** What a journal writes to, and how. */
export interface JournalOptions {
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** Folded up to the head of the log. */
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
 * The one way into a log. An event is stamped, masked and stored, then folded; nobody sees it before it is stored.
 *
 * Emits are carried out one after the other. When one fails nothing of it is folded, and the next one first folds
 * whatever did reach the log.
 */
export class Journal {
  readonly timeline: ConversationTimeline;
  readonly #options: JournalOptions;
  readonly #timestamp: () => string;
  readonly #newId: () => string;
  #queue: Promise<unknown> = Promise.resolve();
  #mayBeBehind = false;
  #meta = '';

  constructor(options: JournalOptions) {
    this.#options = options;
    this.timeline = options.timeline;
    this.#timestamp = timestamps(options.now, options.lastTimestamp);
    this.#newId = options.newId ?? randomUUID;
  }

  newId(): string {
    return this.#newId();
  }

  /**
   * Appends events as one act, and resolves with them as they are stored. Drafts that depend on the state are given as a
   * function: it is asked when everything emitted before is stored and folded. None of them appends nothing.
   *
   * @throws {StorageError} what the log threw; {@link EventError} when a draft makes no valid event (a bug); what the
   * function throws.
   */
  emit(drafts: readonly Draft[] | (() => readonly Draft[])): Promise<readonly BaseEvent[]> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      return this.#append(typeof drafts === 'function' ? drafts() : drafts);
    });
  }

  /** Folds what reached the log although its append failed; after it the timeline tells the log. @throws {StorageError} */
  catchUp(): Promise<void> {
    return this.#inTurn(() => this.#catchUp());
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #append(drafts: readonly Draft[]): Promise<readonly BaseEvent[]> {
    if (drafts.length === 0) return [];
    const { log, codec, mask, toolNames, signer } = this.#options;
    const events = this.#stamped(drafts).map((event) => maskEvent(event, mask, toolNames));
    const meta = this.#changedMeta(events);
    this.#mayBeBehind = true;
    const rows = events.map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: codec.encode(event),
    }));
    const head = this.timeline.head;
    await log.append(rows, { expectedHead: head, ...(meta !== undefined && { meta }), ...(signer && { signer }) });
    this.#mayBeBehind = false;
    if (meta !== undefined) this.#meta = JSON.stringify(meta);
    const extended = events.map((event, index) => this.timeline.push(event, head + index));
    if (extended.includes(false)) await this.timeline.refold((from) => log.range(from));
    return events;
  }

  async #catchUp(): Promise<void> {
    if (!this.#mayBeBehind) return;
    await this.timeline.load((from) => this.#options.log.range(from));
    this.#mayBeBehind = false;
  }

  #stamped(drafts: readonly Draft[]): readonly BaseEvent[] {
    let { leafId, head } = this.timeline;
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
    const before: Status = this.timeline.read('status');
    const after = events.reduce((status, event, index) => statusProjection.apply(status, event, index), before);
    const meta = this.#options.metaOf(after);
    return JSON.stringify(meta) === this.#meta ? undefined : meta;
  }
}

/** Where an update of the leaf puts it; undefined is before every event. */
function leafOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== '__root__' ? value : undefined;
}
