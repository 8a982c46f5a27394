import type { LogProof } from './log-proof.ts';

/** One event as it lies in a log. */
export interface Stored {
  /** Its place: 0, 1, 2, … without gaps. */
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly parentId: string | undefined;
  /** The JSON exactly as it was appended. */
  readonly text: string;
}

/**
 * Reads the events of one conversation. What was acknowledged before a call is seen by it. Every read of a conversation
 * that was removed is `missing`, also when its id was created anew; after the log or the store is disposed it is
 * `closed`, but for what a `range` under way still gives.
 */
export interface LogReader {
  readonly id: string;
  /** The number of events: the seq the next one gets. */
  head(): Promise<number>;
  /**
   * Events `from` (inclusive) to `to` (exclusive, at most the head when reading starts), oldest first. Empty when
   * `from` is not below the end. Nothing is checked or read before the first event is asked for.
   *
   * @throws {StorageError} `invalid` when a bound is not an integer of 0 or more, `corrupt` on a gap, `io`.
   */
  range(from: number, to?: number): AsyncIterable<Stored>;
  /** @throws {StorageError} `missing` when there is no such seq, `invalid` when it is not an integer of 0 or more. */
  at(seq: number): Promise<Stored>;
  /** `undefined` when the log has no event of this id. */
  seqOf(id: string): Promise<number | undefined>;
  /**
   * Every event from `from` on, each once, in order, going on with those appended later by anyone, until the signal
   * aborts, or the log or store is disposed, before or while it waits; then it ends without an error. Beyond the head
   * it waits for `from`. Latency after an append through the same store is a tick, else at most 250 ms.
   *
   * @throws {StorageError} as `range`, and `missing` when the conversation is removed meanwhile.
   */
  tail(from: number, signal: AbortSignal): AsyncIterable<Stored>;
  /** What shows changes of the log, for `verify`; absent in a store that keeps none. */
  readonly proof?: LogProof;
}
