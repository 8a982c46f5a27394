/** Fields of a signed statement. */
export interface SignedFields {
  /** Seq of the event that the statement is about. */
  readonly seq: number;
  /** Public key of the signer: `did:key:z6Mk…`. */
  readonly signer: string;
  /** UTC milliseconds, by the signer's clock. */
  readonly at: number;
  /** Ed25519 signature, base64url. */
  readonly signature: string;
}

/** A signed seal: the signer vouches for the log up to this event. */
export interface Checkpoint extends SignedFields {
  readonly kind: 'checkpoint';
  readonly seal: string;
}

/** SignedFields record that the text of an event was replaced, with the reason. */
export interface Tombstone extends SignedFields {
  readonly kind: 'tombstone';
  /**
   * Digest of the event as it was before: as it was appended, whose digest the seal still covers, or as the tombstones
   * of other signers left it.
   */
  readonly was: string;
  /** Digest of the event as it is now. */
  readonly is: string;
  readonly reason: string;
}

/**
 * Record that the log ended before event `seq` although there were more events, up to `end` (exclusive). `found`: the
 * log was in this state when it was opened, for an unknown reason. `repaired`: a repair moved the rest to quarantine.
 */
export interface Cut {
  readonly kind: 'cut';
  readonly seq: number;
  readonly end: number;
  readonly cause: 'found' | 'repaired';
  /** UTC milliseconds. */
  readonly at: number;
}

/**
 * Record that events `seq` to `end` (exclusive) were not sealed when they were appended, but later, as they were then.
 * `found`: when the log was opened, after a crash or because another program had appended them. `imported`: when they
 * were imported without seals. `accepted`: because a person accepted them.
 */
export interface Unsealed extends Pick<Cut, 'seq' | 'end' | 'at'> {
  readonly kind: 'unsealed';
  readonly cause: 'found' | 'imported' | 'accepted';
}

/** A statement about one event of a log, stored next to the log. */
export type Statement = Checkpoint | Tombstone | Cut | Unsealed;

/** Signs seals and tombstones. The private key stays inside. */
export interface Signer {
  /** Public key: `did:key:z6Mk…`. */
  readonly did: string;
  /** Returns the 64 bytes of an Ed25519 signature. Must not throw; the log waits for it. */
  sign(bytes: Uint8Array): Uint8Array;
}
