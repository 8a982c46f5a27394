export { backupSqlite } from './backup.ts';
export { sqliteScheme, sqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
