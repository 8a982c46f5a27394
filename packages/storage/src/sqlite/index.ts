export { backupSqlite } from './backup.ts';
export { sqliteScheme, sqliteStore } from './sqlite-store.ts';
