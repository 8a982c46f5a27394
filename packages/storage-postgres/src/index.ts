export { postgresScheme, postgresStore, type PostgresStoreOptions } from './postgres-store.ts';
