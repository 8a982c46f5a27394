import type { LogReader, Stored } from '@varve/storage';
import { eventFilter } from '../reference/info/event-filter.ts';
import type { DeltaMessage, Feed, FeedMessage, ServerErrorMessage } from '../reference/info/feed.ts';
import { eventFrame, messageFrame, type Frame } from './frame.ts';
import type { TransientEvents } from './transient-events.ts';

/** Receives the frames of a conversation. Must not throw. */
export interface Subscriber {
  send(frame: Frame): void;
  /** The log can no longer be read: nothing is sent after this. */
  fail(error: unknown): void;
}

/** Parts of a live log. */
export interface LiveLogOptions {
  readonly reader: LogReader;
  /** Seq of the first event to deliver. */
  readonly next: number;
  readonly feed: Feed;
  readonly transient: TransientEvents;
  /** Receives each event after it was delivered. */
  readonly onStored?: ((stored: Stored) => void) | undefined;
  /** Returns the whole state as JSON. */
  readonly fullState: () => Promise<string>;
}

interface Arrival {
  readonly message: FeedMessage;
  /** Number of events that were stored when the message arrived; undefined until it is read. */
  head?: number;
}

/** Selects the events that clients may receive. */
const isSent = eventFilter({});

/**
 * Delivers the events and messages of one conversation to its subscribers: one tail of the log, and one encoding of
 * each event. A subscriber is called in the same turn for each event, in order, and never waited for.
 */
export class LiveLog implements Disposable {
  readonly reader: LogReader;
  readonly #options: LiveLogOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #arrivals: Arrival[] = [];
  readonly #stop = new AbortController();
  readonly #messages: Disposable;
  #next: number;
  #snapshots: Promise<unknown> = Promise.resolve();
  #snapshotCount = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: LiveLogOptions) {
    this.#options = options;
    this.reader = options.reader;
    this.#next = options.next;
    this.#messages = options.feed.subscribe(options.reader.id, (message) => void this.#arrive(message));
    void this.#follow();
  }

  /** Seq of the next event that subscribers receive. */
  get next(): number {
    return this.#next;
  }

  /** Number of whole states that subscribers have been sent, or would have been. */
  get snapshotCount(): number {
    return this.#snapshotCount;
  }

  /** True after the log became unreadable, as after the removal of its conversation. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Adds a subscriber, which receives event `next` first. */
  add(subscriber: Subscriber): void {
    if (this.#failure) subscriber.fail(this.#failure.error);
    else this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Returns a frame with the whole state. @throws {StorageError} `missing`, `io`. */
  async snapshot(): Promise<Frame> {
    return messageFrame(this.#options.transient.fullState(await this.#options.fullState()));
  }

  /** Returns the frame of a message for one subscriber. */
  frameOf(message: DeltaMessage | ServerErrorMessage): Frame {
    return messageFrame(this.#options.transient.ofMessage(message));
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#messages[Symbol.dispose]();
    this.#subscribers.clear();
  }

  async #follow(): Promise<void> {
    try {
      for await (const stored of this.reader.tail(this.#next, this.#stop.signal)) {
        this.#next = stored.seq + 1;
        if (this.#subscribers.size > 0 && isSent(stored)) this.#broadcast(eventFrame(stored.seq, stored.text));
        this.#options.onStored?.(stored);
        this.#release();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Places a message after the events that are stored now. */
  async #arrive(message: FeedMessage): Promise<void> {
    const arrival: Arrival = { message };
    this.#arrivals.push(arrival);
    try {
      arrival.head = await this.reader.head();
    } catch {
      // The tail reports why the log cannot be read.
      arrival.head = 0;
    }
    this.#release();
  }

  #release(): void {
    for (
      let [first] = this.#arrivals;
      first?.head !== undefined && first.head <= this.#next;
      [first] = this.#arrivals
    ) {
      this.#arrivals.shift();
      this.#deliver(first.message);
    }
  }

  #deliver(message: FeedMessage): void {
    if (message.kind !== 'full_state') {
      if (this.#subscribers.size > 0) this.#broadcast(this.frameOf(message));
      return;
    }
    this.#snapshotCount += 1;
    this.#snapshots = this.#sendSnapshot(this.#snapshots);
  }

  /** Sends the whole state after those that were requested before. */
  async #sendSnapshot(earlier: Promise<unknown>): Promise<void> {
    await earlier;
    if (this.#subscribers.size === 0) return;
    try {
      this.#broadcast(await this.snapshot());
    } catch (error) {
      this.#fail(error);
    }
  }

  #broadcast(frame: Frame): void {
    for (const subscriber of this.#subscribers) subscriber.send(frame);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    const subscribers = [...this.#subscribers];
    this[Symbol.dispose]();
    for (const subscriber of subscribers) subscriber.fail(error);
  }
}
