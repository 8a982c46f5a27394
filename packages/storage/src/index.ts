export { StorageError, type StorageErrorCode } from './contract/error.ts';
export type { Fact, FactQuery } from './contract/facts.ts';
export type { AppendOptions, EventLog, NewEvent } from './contract/log.ts';
export type { LogReader, Stored } from './contract/log-reader.ts';
export { memoryStore, type MemoryStoreOptions } from './memory/memory-store.ts';
export { openStore, type StoreScheme } from './open-store.ts';
export type { Snapshot, SnapshotCache } from './contract/snapshots.ts';
export type { EventStore, ListQuery, Page, Summary } from './contract/store.ts';
