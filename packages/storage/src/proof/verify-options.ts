import type { Stored } from '../contract/log-reader.ts';
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
