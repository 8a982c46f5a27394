import type { Stored } from '../contract/log-reader.ts';
import type { Cut, Tombstone, Unsealed } from '../contract/statement.ts';

/**
 * Options of `verify`. Their values must come from outside the log: a process that can write the log can also write its
 * proof.
 */
export interface VerifyOptions {
  /**
   * DIDs of the trusted keys, such as `did:key:z6Mk…`. Without it and without `known`, tombstones of any signer are
   * accepted.
   *
   * @throws {StorageError} `invalid` for a text that is not an Ed25519 `did:key`.
   */
  readonly trusted?: readonly string[];
  /**
   * A seal that the log had, from an earlier verdict or a checkpoint stored elsewhere; the log must contain it, at
   * `seq` or, without that, at any event.
   *
   * @throws {StorageError} `invalid` for a seal that is not a SHA-256 in hexadecimal.
   */
  readonly known?: KnownSeal;
  /** The last event must be covered by a signature of a trusted key; an empty log fails. */
  readonly requireSigned?: true;
  /** Every event must have been sealed when it was appended, or accepted since. */
  readonly requireSeals?: true;
  /** Returns true for an event that needs a trusted signature of its own: one on a later event is not enough. */
  readonly mustBeSigned?: (event: Stored) => boolean;
  /**
   * Called with each event in order, so that one pass over a log serves other checks, too. Starts again at the first
   * event if the log is read again, and misses events after a broken one.
   */
  readonly each?: (event: Stored) => Promise<void>;
}

/** A seal that was noted outside of the log. */
export interface KnownSeal {
  /** Default: any event. */
  readonly seq?: number;
  readonly seal: string;
}

/** First difference between a log and its proof. */
export interface IntegrityFailure {
  /** The first event that cannot be verified, or that is missing. */
  readonly seq: number;
  /**
   * - `altered`: the event differs from what was sealed, or an event before it was inserted, removed or moved.
   * - `lost`: the log had more events, or has files or rows that are not events of it.
   * - `unsealed`: the event has no seal although it had one or needs one.
   * - `signature`: the signature of a statement about the event is invalid.
   * - `untrusted`: the event was scrubbed by a signer that is not trusted.
   * - `unsigned`: the event needs a trusted signature and has none.
   * - `unknown`: no event has the known seal.
   */
  readonly reason: 'altered' | 'lost' | 'unsealed' | 'signature' | 'untrusted' | 'unsigned' | 'unknown';
  /** One sentence. */
  readonly message: string;
}

/** The statement that a verdict proves about the first `events` events. */
export interface Proven {
  /**
   * - `nothing`: the events may be anything.
   * - `careless-edits`: bit rot and changes that do not recompute the seals. A writer of the store who recomputes all
   *   of them is not detected.
   * - `forgery`: any change since a trusted key signed the events, or the known seal was noted, by anyone who has
   *   neither a trusted key nor control over where the known seal is kept. See {@link Verdict.signedLater}.
   */
  readonly excludes: 'nothing' | 'careless-edits' | 'forgery';
  readonly by: 'nothing' | 'seals' | 'trusted-key' | 'known-seal';
  readonly events: number;
}

/** Range of events of a log. */
export interface SeqRange {
  readonly seq: number;
  /** Exclusive. */
  readonly end: number;
}

/** Result of `verify`. Without `broken`, the first `sealed` events are exactly those that were sealed. */
export interface Verdict {
  readonly conversation: string;
  /** Number of events that were read. */
  readonly head: number;
  /** Number of events, counted from the first, whose stored seal matches. Later events, if any, were never sealed. */
  readonly sealed: number;
  /** Recomputed seal of the last event that was read. Store it elsewhere, and pass it as `known` later. */
  readonly seal: string;
  /** Number of events, counted from the first, that a checkpoint of a trusted signer covers; 0 without `trusted`. */
  readonly signedEvents: number;
  /**
   * Ranges of these events that a trusted signer did not sign when they were appended, but only with a later event, in
   * order of seq. Whoever could write the store in between could have changed them before that signature.
   */
  readonly signedLater: readonly SeqRange[];
  /** Number of events, counted from the first, that the known seal covers; 0 without `known`. */
  readonly knownEvents: number;
  /** Strongest statement that the log supports; nothing if it is broken. */
  readonly proven: Proven;
  /** Number of valid checkpoints by signer, trusted or not. */
  readonly signers: Readonly<Record<string, number>>;
  /** Tombstones of the scrubbed events, in order of seq. */
  readonly tombstones: readonly Tombstone[];
  /** Cuts recorded in the log's proof, in order of seq. */
  readonly cuts: readonly Cut[];
  /**
   * Ranges of events that were not sealed when they were appended, but later, in order of seq. Anyone who can write the
   * store could have changed them before that.
   */
  readonly unsealed: readonly Unsealed[];
  readonly broken?: IntegrityFailure;
}
