import type { StoreScheme } from '../open-store.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Opens `sqlite:PATH` with the defaults. */
export const sqliteScheme: StoreScheme = async (rest) => sqliteStore({ path: rest });
