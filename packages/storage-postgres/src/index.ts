export { postgresScheme, postgresStore } from './postgres-store.ts';
