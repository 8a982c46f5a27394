export { isTakenOver, StorageError, type StorageErrorCode } from './contract/error.ts';
export type { Fact, FactQuery } from './contract/facts.ts';
export type { AppendOptions, EventLog, NewEvent } from './contract/log.ts';
export type { LogReader, Stored } from './contract/log-reader.ts';
export type { LogLoss } from './contract/loss.ts';
export type { Replicas, SharedRecord } from './contract/replicas.ts';
export type { Snapshot, SnapshotCache } from './contract/snapshots.ts';
export type {
  EventStore,
  ListQuery,
  OpenOptions,
  Page,
  RemoveOptions,
  StoreScheme,
  Summary,
} from './contract/store.ts';
export { canonicalId } from './kit/conversation-id.ts';
export type { Holder } from './kit/holder.ts';
export { memoryStore } from './memory/memory-store.ts';
export { openStore } from './open-store.ts';
export { isPublicKey } from './proof/did-key.ts';
export { ed25519Signer } from './proof/ed25519-signer.ts';
export type { EventProof, LogProof } from './contract/log-proof.ts';
export type { ProofWriter } from './contract/log-proof.ts';
export type { Signer } from './contract/statement.ts';
export type { Statement, Tombstone, Unsealed } from './contract/statement.ts';
export type { SeqRange, Verdict } from './proof/verdict.ts';
export { verify } from './proof/verify.ts';
export type { VerifyOptions } from './proof/verdict.ts';
