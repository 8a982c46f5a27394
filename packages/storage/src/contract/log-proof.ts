import type { Statement } from './statement.ts';

/** What is kept about one event. */
export interface EventProof {
  readonly seq: number;
  /** Absent when none was kept. */
  readonly seal: string | undefined;
  /** In the order in which they were made. */
  readonly statements: readonly Statement[];
}

/** How far a log was sealed. */
export interface SealedEnd {
  /** The number of events that were sealed. */
  readonly head: number;
  /** Of the last of them. */
  readonly seal: string;
}

/**
 * What a store keeps beside a log so that changes of it show. Made with each append and never looked at but by
 * `verify`: a log whose proof is broken is read and continued like any other.
 */
export interface LogProof {
  /**
   * What is kept about the events `from` (inclusive) to `to` (exclusive), also beyond the head, in order of seq; events
   * of which nothing is kept are left out. At least one if there is one, perhaps not all.
   *
   * @throws {StorageError} as `LogReader.range`.
   */
  page(from: number, to: number): Promise<readonly EventProof[]>;
  /** The last seal, noted apart from the events; absent when nothing was sealed. @throws as {@link page}. */
  end(): Promise<SealedEnd | undefined>;
  /**
   * Every text that a cut, or opening a broken log, put into quarantine, in any order; a text may be an event or a record
   * of one. Absent in a store that keeps none.
   *
   * @throws {StorageError} `io`, `closed`.
   */
  quarantine?(): AsyncIterable<string>;
}
