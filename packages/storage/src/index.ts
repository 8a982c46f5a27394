export { isTakenOver, StorageError, type StorageErrorCode } from './contract/error.ts';
export type { Fact, FactQuery } from './contract/facts.ts';
export type { AppendOptions, EventLog, NewEvent } from './contract/log.ts';
export type { LogReader, Stored } from './contract/log-reader.ts';
export type { LogLoss } from './contract/loss.ts';
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
export type { Holder } from './kit/holder.ts';
export { errnoOf } from './kit/disk-error.ts';
export { makeDirectories } from './kit/make-directories.ts';
export { memoryStore, type MemoryStoreOptions } from './memory/memory-store.ts';
export { openStore } from './open-store.ts';
