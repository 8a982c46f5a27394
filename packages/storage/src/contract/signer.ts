/** Who vouches for seals. The private key stays with it. */
export interface Signer {
  /** Names the public key: `did:key:z6Mk…`. */
  readonly did: string;
  /** Gives the 64 bytes of an Ed25519 signature. Must not throw, and is called while the log waits. */
  sign(bytes: Uint8Array): Uint8Array;
}
