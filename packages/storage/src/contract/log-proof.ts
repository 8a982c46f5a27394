import type { Cut, Statement, Tombstone, Unsealed } from './statement.ts';

/** Seal and statements of one event. */
export interface EventProof {
  readonly seq: number;
  /** Absent if the event was not sealed. */
  readonly seal: string | undefined;
  /** In the order in which they were made. */
  readonly statements: readonly Statement[];
}

/** Number of sealed events of a log, with the last seal. */
export interface SealedEnd {
  /** Number of sealed events. */
  readonly head: number;
  /** Seal of the last sealed event. */
  readonly seal: string;
}

/** Number of events of a log that are known to have been sealed once. */
export interface SealedOnce {
  readonly head: number;
  /** Seal of event `head` - 1, if it is known. */
  readonly seal: string | undefined;
}

/**
 * Evidence that a store keeps next to a log so that changes of the log can be detected. It is written with each append
 * and read only by `verify` and `open`: a log whose proof is broken is read like any other.
 */
export interface LogProof {
  /**
   * Returns the proof of events `from` (inclusive) to `to` (exclusive), past the head as well, in order of seq. Events
   * without proof are left out. The page has at least one item if there is any, and may end early.
   *
   * @throws {StorageError} as `LogReader.range`.
   */
  page(from: number, to: number): Promise<readonly EventProof[]>;
  /**
   * Returns the last seal, stored apart from the events; `undefined` if nothing was sealed.
   *
   * @throws as {@link page}.
   */
  end(): Promise<SealedEnd | undefined>;
  /**
   * Returns how much of the log was sealed at an earlier time, by records apart from the seals, so that removed seals
   * are noticed; `undefined` if nothing was. Absent in a store whose seals cannot be removed.
   *
   * @throws as {@link page}.
   */
  sealedOnce?(): Promise<SealedOnce | undefined>;
  /**
   * Yields every text that a cut, or the opening of a broken log, moved to quarantine or would move there, in any
   * order. A text is an event or a record of one, which has the bytes of a damaged text in `packed`, and its long
   * strings in `strings`. Absent in a store without a quarantine.
   *
   * @throws {StorageError} `io`, `closed`.
   */
  quarantine?(): AsyncIterable<string>;
  /**
   * Yields every saved snapshot, in any order. Absent in a store that saves none.
   *
   * @throws as {@link quarantine}.
   */
  snapshots?(): AsyncIterable<SavedSnapshot>;
}

/** Snapshot as a store contains it. */
export interface SavedSnapshot {
  readonly name: string;
  /** Number of events that it was saved for; the state may contain another number. */
  readonly seq: number;
  /** The state: JSON, unless it is damaged. */
  readonly text: string;
}

/** A new text for an event, and the signed tombstone that accounts for it. */
export interface TextReplacement {
  readonly tombstone: Tombstone;
  /** Has the same length in UTF-8 as the text that it replaces. */
  readonly text: string;
}

/**
 * The changes of a log that are not an append, available to the lease holder and used by `repair` and `scrub`,
 * which know when they are valid. Each runs after the appends that were called before it, and is recorded in the proof.
 */
export interface ProofWriter extends LogProof {
  /**
   * Ends the log before event `seq`, which may be an unreadable event, or the head. The events from `seq` on, their
   * proof and snapshots, and files of the log that are not part of it go to quarantine. Nothing is renumbered, and only
   * snapshots are deleted.
   *
   * @throws {StorageError} `invalid` for a `seq` past the head, `fenced`, `closed`, `full`, `io`.
   */
  cut(seq: number): Promise<Cut>;
  /**
   * Seals the events that lost their seals as they are now, and records that they were accepted. Their checkpoints are
   * dropped: they are about other seals. Returns `undefined` if every event is sealed. Absent in a store whose seals
   * cannot be lost.
   *
   * @throws {StorageError} `incomplete` for a log that lost events, `fenced`, `closed`, `full`, `io`.
   */
  acceptUnsealed?(): Promise<Unsealed | undefined>;
  /**
   * Moves the statements that cannot be read to quarantine, and returns their number. Absent in a store that ignores
   * such statements.
   *
   * @throws {StorageError} `fenced`, `closed`, `full`, `io`.
   */
  quarantineMalformed?(): Promise<number>;
  /**
   * Replaces the texts of events and drops all snapshots. The tombstones are stored first. Afterwards the store's
   * files, except its quarantine, no longer contain the old texts, nor a `meta` that was replaced since the last call:
   * a call without replacements removes only that. Traces that the disk itself keeps cannot be reached.
   *
   * @throws {StorageError} `missing` if an event does not exist; `invalid` for a malformed tombstone, a tombstone that
   * does not match the new text, or a text of another length; `fenced`, `closed`, `full`, `io`. `io` is also raised
   * while another reader still uses the earlier state: the texts are then replaced, and the old ones disappear from the
   * files with `EventStore.purgeReplacedText`, or when every process has closed the store.
   */
  replace(replacements: readonly TextReplacement[]): Promise<void>;
  /**
   * Replaces each text in quarantine with the result of `mask`, and returns the number of changed texts. The old texts
   * are removed from the files as by {@link replace}. The proof does not record it, because quarantine is not part of
   * the log. Absent in a store without a quarantine. An error thrown by `mask` ends the call and is rethrown.
   *
   * @throws {StorageError} `fenced`, `closed`, `full`, `io`.
   */
  maskQuarantine?(mask: (text: string) => string): Promise<number>;
}
