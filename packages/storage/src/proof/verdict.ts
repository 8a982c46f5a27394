import type { Stored } from '../contract/log-reader.ts';
import type { Cut, Tombstone } from '../contract/statement.ts';
import type { SealedEvent } from './seal-events.ts';

/**
 * Options of `verify`. Their values must come from outside the log: a process that can write the log can also write its
 * proof.
 */
export interface VerifyOptions {
  /** DIDs of the trusted keys, such as `did:key:z6Mk…`. Without it, tombstones of any signer are accepted. */
  readonly trusted?: readonly string[];
  /** A seal that the log had, from an earlier verdict or a checkpoint stored elsewhere; the log must contain it. */
  readonly known?: SealedEvent;
  /** Returns true for an event that needs a trusted signature of its own: one on a later event is not enough. */
  readonly mustBeSigned?: (event: Stored) => boolean;
}

/** First difference between a log and its proof. */
export interface IntegrityFailure {
  /** The first event that cannot be verified, or that is missing. */
  readonly seq: number;
  /**
   * - `altered`: the event differs from what was sealed, or an event before it was inserted, removed or moved.
   * - `lost`: the log had more events.
   * - `unsealed`: the event has no seal although events around it have one.
   * - `signature`: the signature of a statement about the event is invalid.
   * - `untrusted`: the event was scrubbed by a signer that is not trusted.
   * - `unsigned`: the event needs a trusted signature and has none.
   */
  readonly reason: 'altered' | 'lost' | 'unsealed' | 'signature' | 'untrusted' | 'unsigned';
  /** One sentence. */
  readonly message: string;
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
  /** Number of valid checkpoints by signer, trusted or not. */
  readonly signers: Readonly<Record<string, number>>;
  /** Tombstones of the scrubbed events, in order of seq. */
  readonly tombstones: readonly Tombstone[];
  /** Cuts recorded in the log's proof, in order of seq. */
  readonly cuts: readonly Cut[];
  readonly broken?: IntegrityFailure;
}
