export { digestOf } from './digest-of.ts';
export { ed25519Signer } from './ed25519-signer.ts';
export type { EventProof, LogProof, SealedEnd } from './log-proof.ts';
export type { ProofKeeper, Replacement } from './proof-keeper.ts';
export type { SealedEvent } from './seal-events.ts';
export type { Signer } from './signer.ts';
export type { Checkpoint, Cut, Statement, Tombstone } from './statement.ts';
export type { Break, Verdict } from './verdict.ts';
export { verify, type VerifyOptions } from './verify.ts';
