export { StorageError, type StorageErrorCode } from './error.ts';
export type { Fact, FactQuery } from './facts.ts';
export type { AppendOptions, EventLog, NewEvent } from './log.ts';
export type { LogReader, Stored } from './log-reader.ts';
export { memoryStore, type MemoryStoreOptions } from './memory-store.ts';
export { openStore, type StoreScheme } from './open-store.ts';
export type { Snapshot, SnapshotCache } from './snapshots.ts';
export type { EventStore, ListQuery, Page, Summary } from './store.ts';
