import type { StoreScheme } from '@varve/storage';
import { directoryScheme } from '@varve/storage/directory';
import { sqliteScheme } from '@varve/storage/sqlite';

/** Every kind of store the command can open, beside `memory:`: add its line here. */
export const schemes: Readonly<Record<string, StoreScheme>> = { dir: directoryScheme, sqlite: sqliteScheme };
