import type { Json } from '@varve/events';
import type { Fact, FactQuery } from './facts.ts';
import type { EventLog } from './log.ts';
import type { LogReader } from './log-reader.ts';
import type { Replicas } from './replicas.ts';

/** Summary of a conversation in a listing, read without opening its log. */
export interface Summary {
  readonly id: string;
  /** UTC milliseconds. */
  readonly createdAt: number;
  /** UTC milliseconds of the last append that stored an event or set `meta`. */
  readonly updatedAt: number;
  /** Number of events. */
  readonly head: number;
  /** Owner that `create` received, which never changes; absent without one. */
  readonly owner?: string | undefined;
  /**
   * Value passed to `create` or set by the last append with `meta`. A cache for listings, never the source of truth.
   */
  readonly meta: Json;
}

/** Options of `EventStore.open`. */
export interface OpenOptions {
  /**
   * `repair` also opens a log that lost events or seals. Appends to it fail with `incomplete` or `unsealed` until
   * `repair` has accepted the loss. Default: `append`.
   */
  readonly purpose?: 'append' | 'repair';
  /**
   * Takes over a lease that has not expired, if the store cannot determine whether its holder still runs: that of
   * another machine, or of this one before it was restarted. For a person who knows that the holder is gone. Appends of
   * a holder that still runs are `fenced`, but its calls may run a second time.
   */
  readonly takeOver?: boolean;
}

/** Condition of a removal. */
export interface RemoveOptions {
  /**
   * Removes only a conversation with exactly this `meta`. It is compared atomically with the removal, so that the work
   * of a process that created or changed the conversation since the caller saw it is kept.
   */
  readonly expectedMeta?: Json;
}

/** Page of a listing. */
export interface ListQuery {
  /** Maximum number of items, 1 to 1000; default 100. @throws {StorageError} `invalid` for any other number. */
  readonly limit?: number;
  /**
   * Continues after a page of the same query: its `next`. @throws {StorageError} `invalid` for any other text.
   */
  readonly after?: string;
  /** Starts with this conversation, at the place that its summary has in the order, instead of with the first one. */
  readonly from?: Summary;
  /** Time that determines the order; ids decide among equals. Default: `updatedAt`. */
  readonly orderBy?: 'createdAt' | 'updatedAt';
  /** Default: `descending`, the latest first. */
  readonly direction?: 'ascending' | 'descending';
  /** Only conversations whose `meta.status` is one of these texts; the empty text selects `meta` without one. */
  readonly statuses?: readonly string[] | undefined;
  /** Only conversations of this owner; the empty text selects those without one. */
  readonly owner?: string | undefined;
}

/** Conversations to count. */
export type CountQuery = Pick<ListQuery, 'owner' | 'statuses'>;

/** A page of items, and the cursor of the next page; `next` is absent on the last one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/**
 * Stores conversations. A store moves exact text: it never changes or re-serialises an event.
 *
 * Ids of conversations match `[0-9A-Za-z_-]{1,64}` and are case-sensitive: a store on case-insensitive names has to
 * encode them. Any other id is `invalid`, for every method. A method that fails rejects with a {@link StorageError} and
 * leaves the store unchanged, except for the prefix that an append may leave; the store remains usable. Methods may be
 * called concurrently.
 */
export interface EventStore extends AsyncDisposable {
  /**
   * Creates an empty conversation and takes its lease. `meta` is copied. An owner is 1 to 200 characters of
   * visible ASCII.
   *
   * @throws {StorageError} `exists`, `invalid` for a bad id or owner or for `meta` that `JSON.stringify` cannot
   * represent, `full`, `io`.
   */
  create(id: string, meta: Json, options?: Pick<Summary, 'owner'>): Promise<EventLog>;
  /**
   * Takes the lease of a conversation. The lease of a holder that died on this host is taken over immediately, any
   * other after it has expired. The old holder's appends are `fenced` from then on, and it may still read. A lease that
   * has expired and was not taken over is still valid: an append under it succeeds and renews it.
   *
   * @throws {StorageError} `missing`, `held` naming the conversation and its holder, even if that is this store, `io`;
   * `incomplete` for a log that lost events, `unsealed` for one that lost seals.
   */
  open(id: string, options?: OpenOptions): Promise<EventLog>;
  /** Reads without a lease, even while another process appends. @throws {StorageError} `missing`, `io`. */
  read(id: string): Promise<LogReader>;
  /** Lists conversations. One whose place changes between two pages may be listed twice or not at all. */
  list(query?: ListQuery): Promise<Page<Summary>>;
  /** Returns the number of conversations, without reading the summaries in a store with an index. */
  count(query?: CountQuery): Promise<number>;
  /** Returns the summary of one conversation. @throws {StorageError} `missing`. */
  summary(id: string): Promise<Summary>;
  /**
   * Finds facts in all conversations, ordered by value as UTF-8, then by conversation, then by seq. Everything that was
   * acknowledged before the call is found. A store without an index reads every log; a store that cannot do that leaves
   * the method out.
   *
   * @throws {StorageError} `invalid`, `closed`, `full`, `io`.
   */
  facts?(query: FactQuery): Promise<Page<Fact>>;
  /**
   * Returns the directory with the files of a conversation, whether or not it exists. Absent in a store without files.
   *
   * @throws {StorageError} `invalid`.
   */
  directoryOf?(id: string): string;
  /** Removes a conversation and all its data. @throws {StorageError} `missing`, `held`; `conflict` for another meta. */
  remove(id: string, options?: RemoveOptions): Promise<void>;
  /**
   * Purges old texts from the store's files that a `ProofWriter.replace` of any process left there because a reader
   * still used the earlier state. Absent in a store where that cannot happen.
   *
   * @throws {StorageError} `io` while such a reader is active; `closed`.
   */
  purgeReplacedText?(): Promise<void>;
  /** Absent in a store of one machine. */
  readonly replicas?: Replicas;
  /**
   * Waits for pending appends, closes every log and reader of this store and releases the leases; all later calls are
   * `closed`. Idempotent.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a store from the part of its URL after the scheme and the colon. */
export type StoreScheme = (path: string) => Promise<EventStore>;
