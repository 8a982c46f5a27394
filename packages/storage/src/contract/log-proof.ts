import type { Cut, Statement, Tombstone } from './statement.ts';

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

/** A new text for an event, and who answers for it. */
export interface TextReplacement {
  readonly tombstone: Tombstone;
  /** As long, in UTF-8, as the text that it replaces. */
  readonly text: string;
}

/**
 * The two changes of a log that are not an append, for whoever holds it: for `repair` and `scrub`, which know when they
 * are right. Each is carried out after the appends called before it, and tells of itself in the proof.
 */
export interface ProofWriter extends LogProof {
  /**
   * Ends the log before event `seq`, which may be one that cannot be read, or the head: what lies there and behind it,
   * with its proof and the snapshots of it, goes into quarantine, and what lies beside the log without being part of it
   * goes with it. Nothing is renumbered and nothing is deleted but snapshots.
   *
   * @throws {StorageError} `invalid` for a `seq` beyond the head, `fenced`, `closed`, `full`, `io`.
   */
  cut(seq: number): Promise<Cut>;
  /**
   * Replaces the texts of events and drops all snapshots. The tombstones are kept first. The old texts are gone from
   * the store's files, but for its quarantine; so is a `meta` that was replaced since the last call, for which a call
   * without replacements is enough. What a disk keeps is out of reach.
   *
   * @throws {StorageError} `missing` when there is no such event; `invalid` for a tombstone that is none, is of another
   * text than the new one, or for a text of another length; `fenced`, `closed`, `full`, `io`. That is also for somebody
   * who goes on reading the state before: all is replaced then, and the old texts go with `EventStore.purgeReplacedText`, or
   * when all have closed the store.
   */
  replace(replacements: readonly TextReplacement[]): Promise<void>;
  /**
   * Puts what `mask` makes of each text in quarantine in its place, and gives how many it changed. The old texts are gone
   * as `replace` says. Nothing in the proof tells of it: quarantine is no part of the log. Absent in a store that keeps
   * none. What `mask` throws comes through, and ends it there.
   *
   * @throws {StorageError} `fenced`, `closed`, `full`, `io`.
   */
  maskQuarantine?(mask: (text: string) => string): Promise<number>;
}
