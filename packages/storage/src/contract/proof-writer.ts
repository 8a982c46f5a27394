import type { LogProof } from './log-proof.ts';
import type { Cut, Tombstone } from './statement.ts';

/** A new text for an event, and who answers for it. */
export interface Replacement {
  readonly tombstone: Tombstone;
  /** As long, in UTF-8, as the text that it replaces. */
  readonly text: string;
}

/**
 * The two changes of a log that are not an append, for whoever holds it: for `repair` and `scrub`, which know when they
 * are right. Each is carried out after the appends called before it, and tells of itself in the proof.
 */
export interface ProofKeeper extends LogProof {
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
   * who goes on reading the state before: all is replaced then, and the old texts go with `EventStore.eraseReplaced`, or
   * when all have closed the store.
   */
  replace(replacements: readonly Replacement[]): Promise<void>;
  /**
   * Puts what `mask` makes of each text in quarantine in its place, and gives how many it changed. The old texts are gone
   * as `replace` says. Nothing in the proof tells of it: quarantine is no part of the log. Absent in a store that keeps
   * none. What `mask` throws comes through, and ends it there.
   *
   * @throws {StorageError} `fenced`, `closed`, `full`, `io`.
   */
  maskQuarantine?(mask: (text: string) => string): Promise<number>;
}
