import type { StoreScheme } from '@varve/storage';
import { directoryScheme } from '@varve/storage/directory';
import { sqliteScheme } from '@varve/storage/sqlite';

/** Store schemes that the command opens in addition to `memory:`: add a line here. */
export const schemes: Readonly<Record<string, StoreScheme>> = { dir: directoryScheme, sqlite: sqliteScheme };
