import type { Stored } from '../contract/log-reader.ts';
import type { Cut, Tombstone } from '../contract/statement.ts';
import type { SealedEvent } from './seal-events.ts';

/** What a log is compared with. It comes from outside the log: who can write the log can write all that lies beside it. */
export interface VerifyOptions {
  /** Names of the keys that are believed, such as `did:key:z6Mk…`. Without it any key may have scrubbed. */
  readonly trusted?: readonly string[];
  /** A seal that the log had, from an earlier verdict or a checkpoint kept elsewhere: the log must reach and have it. */
  readonly known?: SealedEvent;
  /** Whether an event has to be signed by a trusted signer, itself and not only through a later one. */
  readonly mustBeSigned?: (event: Stored) => boolean;
}

/** Where a log stops being what was written, and how that shows. */
export interface IntegrityFailure {
  /** The first event that is not proven, or that is missing. */
  readonly seq: number;
  /**
   * `altered`: the event, or one that was put before it, taken out or moved, is not what was sealed. `lost`: there were
   * more events. `unsealed`: those around it are sealed, it is not. `signature`: a statement about it is not signed by
   * whom it names. `untrusted`: it was scrubbed by nobody on the list. `unsigned`: it had to be signed and is not.
   */
  readonly reason: 'altered' | 'lost' | 'unsealed' | 'signature' | 'untrusted' | 'unsigned';
  /** One sentence. */
  readonly message: string;
}

/** What `verify` found. Without `broken`, the first `sealed` events are those that were sealed. */
export interface Verdict {
  readonly conversation: string;
  /** The number of events that were read. */
  readonly head: number;
  /** How many of them, from the first on, have the seal that was kept. Those after it, if any, were never sealed. */
  readonly sealed: number;
  /** The seal of the last event that was read, made anew: what to keep elsewhere and to give as `known` later. */
  readonly seal: string;
  /** How many events, from the first on, a trusted signer vouches for; 0 without `trusted`. */
  readonly signedEvents: number;
  /** Checkpoints that hold, by signer, trusted or not. */
  readonly signers: Readonly<Record<string, number>>;
  /** Of the events that were scrubbed, in order of seq. */
  readonly tombstones: readonly Tombstone[];
  /** Ends that the log had, in order of seq. */
  readonly cuts: readonly Cut[];
  readonly broken?: IntegrityFailure;
}
