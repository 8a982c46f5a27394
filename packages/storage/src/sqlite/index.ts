export type { Holder } from '../holder.ts';
export { sqliteScheme } from './sqlite-scheme.ts';
export { sqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
