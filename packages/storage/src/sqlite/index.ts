export type { Holder } from '../kit/holder.ts';
export { backupSqlite, type BackupOptions } from './backup.ts';
export { sqliteScheme } from './sqlite-store.ts';
export { sqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
