import type { Json } from '@varve/events';
import type { ProofWriter } from './log-proof.ts';
import type { LogReader } from './log-reader.ts';
import type { SnapshotCache } from './snapshots.ts';
import type { Signer, Statement } from './statement.ts';

/**
 * An event to append: its exact text, and the fields of it that stores index. The text is a JSON object that says the
 * same (`id`, `kind`, `parent_id`), so a store of nothing but texts may read the fields back from there.
 */
export interface NewEvent {
  /** Never empty, otherwise any text: a store that makes a file name of it has to encode it. */
  readonly id: string;
  readonly kind: string;
  readonly parentId: string | undefined;
  readonly text: string;
  /**
   * What the seal is made of instead of a digest of the text, 64 hexadecimal digits: only for the copy of an event whose
   * text was scrubbed, so that the copy's seals are those of the original.
   */
  readonly digest?: string;
}

/** What an append may ask for besides its events. */
export interface AppendOptions {
  /** Append only if the log has exactly this many events: an integer of 0 or more. */
  readonly expectedHead?: number;
  /** Replaces the summary's `meta` in the same act. */
  readonly meta?: Json;
  /**
   * Signs, in the same act, the seal of each event that is stored, or, when no events are given, the seal of the last
   * event in the log: that is a checkpoint. Stores without proof ignore it.
   */
  readonly signer?: Signer;
  /**
   * Kept in the same act, as they are: for copies of what somebody stated about the same log elsewhere. Stores without
   * proof ignore them.
   *
   * @throws {StorageError} `invalid` for what is no statement.
   */
  readonly statements?: readonly Statement[];
}

/**
 * The right to append to one conversation. It holds the lease until it is disposed, and renews it by itself.
 *
 * Appends of one log are carried out in the order of their calls.
 */
export interface EventLog extends LogReader, AsyncDisposable {
  /** Of one append of several events: SQL stores keep all or nothing, directories may keep a prefix, never a hole. */
  readonly atomicity: 'all' | 'prefix';
  /**
   * Rises with every lease that is taken: a holder with a lower epoch than the lease's is `fenced`. Starts at 1, again
   * so when a removed id is created anew: a holder from before is `fenced` all the same, whatever its epoch.
   */
  readonly epoch: number;
  /**
   * Resolves with one seq per event, in order, when all are durable (or, in a store opened as `buffered`, written).
   *
   * An event whose id is in the log with the same `text` is not stored again: its old seq comes back, so an append
   * whose answer was lost may be sent again. `expectedHead` is then compared with the head without those events; a
   * resend of events that are all stored already succeeds whatever `expectedHead` says, and sets `meta`. An append of
   * no events only compares `expectedHead` and sets `meta`. Events and options are copied when `append` is called.
   *
   * @throws {StorageError} `closed`, `fenced` even when nothing would be stored, `duplicate`, `conflict`, `full`, `io`;
   * `invalid` for an id that is empty, a `digest` that is none, for an id, kind, parent or text with half a surrogate
   * pair or a NUL (JSON escapes both), for an `expectedHead` that is no integer of 0 or more and for `meta` that
   * `JSON.stringify` has no text for. After any of them, no event of the append is stored (`atomicity: 'all'`) or a prefix is, and `meta` is as
   * it was.
   */
  append(events: readonly NewEvent[], options?: AppendOptions): Promise<readonly number[]>;
  readonly snapshots: SnapshotCache;
  readonly proof?: ProofWriter;
  /**
   * Waits for appends under way, then releases the lease, unless it was taken over. Later appends, and reads, are
   * `closed`. Idempotent.
   */
  [Symbol.asyncDispose](): Promise<void>;
}
