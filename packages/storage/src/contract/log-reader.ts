import type { LogEntry } from '@varve/events/projections';
import type { LogProof } from './log-proof.ts';
import type { LogLoss } from './loss.ts';
import type { SnapshotCache } from './snapshots.ts';

/** One event as stored in a log: `seq` has no gaps, and `text` is the JSON exactly as it was appended. */
export type Stored = LogEntry;

/**
 * Reads the events of one conversation. A read sees everything that was acknowledged before it was called. After the
 * conversation is removed every read is `missing`, even if the id was created again. After the log or the store is
 * disposed every read is `closed`, except for the events that a running `range` still yields.
 */
export interface LogReader {
  readonly id: string;
  /** Returns the number of events, which is the seq of the next one. */
  head(): Promise<number>;
  /**
   * Yields events `from` (inclusive) to `to` (exclusive, at most the head when reading starts), oldest first. Empty if
   * `from` is not less than the end. Nothing is checked or read before the first event is requested. However long it
   * takes, other work of the event loop runs in between.
   *
   * @throws {StorageError} `invalid` if a bound is not an integer of 0 or more, `corrupt` on a gap, `io`.
   */
  range(from: number, to?: number): AsyncIterable<Stored>;
  /**
   * Returns the event at a position.
   *
   * @throws {StorageError} `missing` if there is no such seq, `invalid` if it is not an integer of 0 or more.
   */
  at(seq: number): Promise<Stored>;
  /** Returns the seq of the event with this id, or `undefined`. */
  seqOf(id: string): Promise<number | undefined>;
  /**
   * Yields every event from `from` on, each once and in order, including events that any process appends later. Ends
   * without an error when the signal aborts or the log or store is disposed, before or while it waits. If `from` is
   * past the head it waits for that event. Latency after an append through the same store is one tick, otherwise at
   * most 250 ms.
   *
   * @throws {StorageError} as `range`, and `missing` if the conversation is removed while it waits.
   */
  tail(from: number, signal: AbortSignal): AsyncIterable<Stored>;
  /**
   * Returns the loss of events that the store can see without reading their texts, and unreadable events that were read
   * before; `undefined` without one. A state that a crash of the last append leaves is not a loss. Absent in a
   * store that cannot lose events.
   *
   * @throws {StorageError} as `head`.
   */
  loss?(): Promise<LogLoss | undefined>;
  /**
   * Saved folds, without a lease. `save` stores nothing if the lease was held since the reader was made, because the
   * holder may have replaced texts that the state contains. Absent in a store that saves folds only under the lease.
   */
  readonly snapshots?: SnapshotCache;
  /** Evidence of changes of the log, for `verify`; absent in a store that keeps none. */
  readonly proof?: LogProof;
}
