import type { StoreScheme } from '../open-store.ts';
import { directoryStore } from './directory-store.ts';

/** Opens `dir:PATH` with the defaults. */
export const directoryScheme: StoreScheme = async (rest) => directoryStore({ path: rest });
