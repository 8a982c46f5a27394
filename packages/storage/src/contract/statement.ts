/** What a signer answers for. */
export interface SignedFields {
  /** The event that it is about. */
  readonly seq: number;
  /** Names the public key: `did:key:z6Mk…`. */
  readonly signer: string;
  /** UTC milliseconds, by the signer's clock. */
  readonly at: number;
  /** Ed25519, base64url. */
  readonly signature: string;
}

/** A signed seal: the signer vouches for the log up to this event, which has this seal. */
export interface Checkpoint extends SignedFields {
  readonly kind: 'checkpoint';
  readonly seal: string;
}

/** Says that the text of an event was replaced because something in it had to go. */
export interface Tombstone extends SignedFields {
  readonly kind: 'tombstone';
  /** Digest of the event as it was appended, which its seal goes on to hold. */
  readonly was: string;
  /** Digest of the event as it is now. */
  readonly is: string;
  readonly reason: string;
}

/**
 * Says that the log ended before event `seq` although there were more, up to `end` (exclusive). `found`: so it was when
 * the log was opened, and nobody knows why. `repaired`: a repair put the rest into quarantine.
 */
export interface Cut {
  readonly kind: 'cut';
  readonly seq: number;
  readonly end: number;
  readonly cause: 'found' | 'repaired';
  /** UTC milliseconds. */
  readonly at: number;
}

/** What is kept beside a log about one of its events. */
export type Statement = Checkpoint | Tombstone | Cut;

/** Who vouches for seals. The private key stays with it. */
export interface Signer {
  /** Names the public key: `did:key:z6Mk…`. */
  readonly did: string;
  /** Gives the 64 bytes of an Ed25519 signature. Must not throw, and is called while the log waits. */
  sign(bytes: Uint8Array): Uint8Array;
}
