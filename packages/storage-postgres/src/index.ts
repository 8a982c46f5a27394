export { existingPostgresScheme, postgresScheme, postgresStore } from './postgres-store.ts';
