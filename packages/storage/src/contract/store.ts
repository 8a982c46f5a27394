import type { Json } from '@varve/events';
import type { Fact, FactQuery } from './facts.ts';
import type { EventLog } from './log.ts';
import type { LogReader } from './log-reader.ts';

/** What a listing shows of a conversation, read without opening its log. */
export interface Summary {
  readonly id: string;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** UTC milliseconds of the last append that stored an event or set `meta`. */
  readonly updatedAt: number;
  /** Number of events. */
  readonly head: number;
  /** What `create` or the last append with `meta` gave. A cache for listings and configuration, never the truth. */
  readonly meta: Json;
}

/** Which part of a listing is wanted. */
export interface ListQuery {
  /** At most this many, 1 to 1000; default 100. @throws {StorageError} `invalid` for any other number. */
  readonly limit?: number;
  /** Goes on after a page: its `next`. @throws {StorageError} `invalid` for any other text. */
  readonly after?: string;
}

/** A page, and where the next one starts; `next` is absent on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/**
 * Where conversations live. Stores move exact text: they never change or re-serialise an event.
 *
 * Ids of conversations match `[0-9A-Za-z_-]{1,64}`, and case counts: a store on names where it does not has to encode
 * them. Any other id is `invalid`, for every method. A method that fails rejects with a {@link StorageError} and leaves
 * the store as it was, but for the prefix that an append may leave; after it the store goes on working. Methods may be
 * called concurrently.
 */
export interface EventStore extends AsyncDisposable {
  /**
   * Makes an empty conversation and takes its lease. `meta` is copied.
   *
   * @throws {StorageError} `exists`, `invalid` for a bad id or for `meta` that `JSON.stringify` has no text for,
   * `full`, `io`.
   */
  create(id: string, meta: Json): Promise<EventLog>;
  /**
   * Takes the lease of a conversation. A holder that died on this host is taken over at once, any other when its lease
   * has run out; the old holder's appends are `fenced` from then on, and it may still read. A lease that has run out
   * and that nobody took over is still good: an append under it succeeds and renews it.
   *
   * @throws {StorageError} `missing`, `held` naming the conversation and its holder, also when that is this store,
   * `io`.
   */
  open(id: string): Promise<EventLog>;
  /** Reads without a lease, also while another process appends. @throws {StorageError} `missing`, `io`. */
  read(id: string): Promise<LogReader>;
  /** Last updated first, ids descending among equals. A conversation changed between pages may be shown twice or not. */
  list(query?: ListQuery): Promise<Page<Summary>>;
  /** @throws {StorageError} `missing`. */
  summary(id: string): Promise<Summary>;
  /**
   * What events say, in every conversation, by value as UTF-8, then by conversation, then by seq. A fact is a text in a
   * state update whose key begins with `varve.`: the value itself, a member of it or an item of a list. What was
   * acknowledged before a call is found by it. A store without an index reads every log for it; one that cannot do that
   * leaves the method out.
   *
   * @throws {StorageError} `invalid`, `closed`, `full`, `io`.
   */
  facts?(query: FactQuery): Promise<Page<Fact>>;
  /** Removes a conversation and all that belongs to it. @throws {StorageError} `missing`, `held`. */
  remove(id: string): Promise<void>;
  /**
   * Takes out of the store's files the old texts that a `ProofWriter.replace`, by anybody, left there because somebody
   * went on reading the state before. Absent in a store where that cannot be.
   *
   * @throws {StorageError} `io` when somebody still does; `closed`.
   */
  purgeReplacedText?(): Promise<void>;
  /**
   * Waits for the appends under way, closes every log and reader of this store and releases the leases; all later calls
   * are `closed`. Idempotent.
   */
  [Symbol.asyncDispose](): Promise<void>;
}
