import { timestamps } from '@varve/events';
import { mapStrings, parseJson } from '@varve/text';
import { InteropError } from '@varve/interop';
import { fieldsOf, inKeyOrder, matchesFilter, type RecordQuery, type V0Record } from '@varve/interop/records';

/** Number of records of a page of the cache. */
const pageSize = 25;

/** Files of one V0 conversation, by path: `events/0.json`. Not owned by the stream. */
export interface RecordFiles {
  /** Returns the text of a file; undefined if it is missing. */
  read(path: string): Promise<string | undefined>;
  /** Replaces a file; resolves when it is stored. */
  write(path: string, text: string): Promise<void>;
  /** Returns the names in a directory; empty if it is missing. */
  list(directory: string): Promise<readonly string[]>;
}

/** Options of {@link EventStream.open}. */
export interface EventStreamOptions {
  readonly files: RecordFiles;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Masks secrets in every string of a record, at any depth. */
  readonly mask?: (text: string) => string;
  /** Receives what a callback throws; default: it is ignored, as in V0. */
  readonly onCallbackError?: (error: unknown, subscriber: string) => void;
}

/** Receives records after they are stored. */
export type RecordCallback = (record: V0Record) => void | Promise<void>;

interface Subscription {
  readonly callback: RecordCallback;
  queue: Promise<void>;
}

/**
 * Event stream of OpenHands V0 over its files: records get dense ids, are stored and then delivered. Each callback
 * receives them in order, one at a time; different callbacks do not wait for each other. For programs that were written
 * for V0: conversations of varve have an `EventLog`.
 *
 * @see OpenHands events/stream.py
 */
export class EventStream {
  readonly #files: RecordFiles;
  readonly #timestamp: () => string;
  readonly #mask: (text: string) => string;
  readonly #onCallbackError: NonNullable<EventStreamOptions['onCallbackError']>;
  readonly #subscribers = new Map<string, Map<string, Subscription>>();
  #next: number;
  #adding: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor({ files, now, mask, onCallbackError }: EventStreamOptions, next: number, last: unknown) {
    this.#files = files;
    this.#timestamp = timestamps(now, typeof last === 'string' ? last : '');
    this.#mask = mask ?? ((text) => text);
    this.#onCallbackError = onCallbackError ?? (() => undefined);
    this.#next = next;
  }

  /** Opens the stream of a conversation after its last record. */
  static async open(options: EventStreamOptions): Promise<EventStream> {
    const next = ((await storedIds(options.files)).at(-1) ?? -1) + 1;
    const last = next === 0 ? undefined : await readRecord(options.files, next - 1);
    return new EventStream(options, next, last?.['timestamp']);
  }

  /** Id of the next record. */
  get nextId(): number {
    return this.#next;
  }

  /**
   * Stores a record, and returns it as it is stored. Records are stored in the order of the calls.
   *
   * @throws {InteropError} `invalid` for a record that has an id, and after `close`; what the files throw, and then the
   * id is used again.
   */
  async add(record: V0Record, source: 'agent' | 'user' | 'environment'): Promise<V0Record> {
    if (this.#isClosed) throw new InteropError('invalid', 'The stream is closed.');
    if (record['id'] !== undefined) {
      throw new InteropError('invalid', `The record has the id ${JSON.stringify(record['id'])} already.`);
    }
    const adding = this.#adding.then(async () => this.#store(record, source));
    this.#adding = adding.catch(() => undefined);
    return adding;
  }

  /**
   * Delivers later records to a callback.
   *
   * @throws {InteropError} `invalid` if the subscriber has a callback with this id.
   */
  subscribe(subscriber: string, callback: RecordCallback, callbackId: string): void {
    const callbacks = this.#subscribers.get(subscriber) ?? new Map<string, Subscription>();
    if (callbacks.has(callbackId)) {
      throw new InteropError('invalid', `The subscriber ${subscriber} has a callback ${callbackId} already.`);
    }
    callbacks.set(callbackId, { callback, queue: Promise.resolve() });
    this.#subscribers.set(subscriber, callbacks);
  }

  /** Ends a subscription; records that wait for it are not delivered. Returns false if it does not exist. */
  unsubscribe(subscriber: string, callbackId: string): boolean {
    return this.#subscribers.get(subscriber)?.delete(callbackId) ?? false;
  }

  /** Yields the stored records that match a query. Missing and broken files are skipped, as in V0. */
  async *search(query: RecordQuery = {}): AsyncGenerator<V0Record> {
    const { startId = 0, endId = this.#next - 1, reverse = false, limit = 0, filter = {} } = query;
    // The ids of the files, because a directory of another program may have gaps of any size.
    const ids = (await storedIds(this.#files)).filter((id) => id >= startId && id <= endId);
    let count = 0;
    for (const id of reverse ? ids.toReversed() : ids) {
      const record = await this.#read(id);
      if (!record || !matchesFilter(record, filter)) continue;
      yield record;
      count += 1;
      if (limit > 0 && count >= limit) return;
    }
  }

  /** Waits until added records are stored and delivered, and ends all subscriptions. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#adding;
    const queues = [...this.#subscribers.values()].flatMap((callbacks) => [...callbacks.values()]);
    await Promise.all(queues.map(({ queue }) => queue));
    this.#subscribers.clear();
  }

  async #store(record: V0Record, source: string): Promise<V0Record> {
    const id = this.#next;
    const masked = fieldsOf(mapStrings(record, this.#mask)) ?? {};
    const stored = inKeyOrder({ ...masked, id, timestamp: this.#timestamp(), source });
    await this.#files.write(`events/${id}.json`, JSON.stringify(stored));
    this.#next = id + 1;
    if (this.#next % pageSize === 0) await this.#writePage(this.#next - pageSize);
    for (const subscriber of [...this.#subscribers.keys()].toSorted()) this.#deliver(subscriber, stored);
    return stored;
  }

  #deliver(subscriber: string, record: V0Record): void {
    const callbacks = this.#subscribers.get(subscriber);
    for (const [id, subscription] of callbacks ?? []) {
      const { queue } = subscription;
      subscription.queue = (async () => {
        await queue;
        if (callbacks?.get(id) === subscription) await this.#call(subscription, subscriber, record);
      })();
    }
  }

  async #call({ callback }: Subscription, subscriber: string, record: V0Record): Promise<void> {
    try {
      await callback(record);
    } catch (error) {
      this.#onCallbackError(error, subscriber);
    }
  }

  /** Writes an aligned page. A page with a gap is not written. */
  async #writePage(start: number): Promise<void> {
    const ids = Array.from({ length: pageSize }, (_, offset) => start + offset);
    const page = await Promise.all(ids.map(async (id) => this.#read(id)));
    if (!page.every((record) => record !== undefined)) return;
    await this.#files.write(`event_cache/${start}-${start + pageSize}.json`, JSON.stringify(page));
  }

  async #read(id: number): Promise<V0Record | undefined> {
    return readRecord(this.#files, id);
  }
}

/** Returns the ids of the files of records, in ascending order. */
async function storedIds(files: RecordFiles): Promise<readonly number[]> {
  const names = await files.list('events');
  return names
    .flatMap((name) => /^(\d{1,15})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Returns a stored record; undefined if its file is missing or broken. */
async function readRecord(files: RecordFiles, id: number): Promise<V0Record | undefined> {
  const text = await files.read(`events/${id}.json`);
  return text === undefined ? undefined : fieldsOf(parseJson(text));
}
