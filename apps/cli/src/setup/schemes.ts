import type { StoreScheme } from '@varve/storage';

/** Store schemes that the command opens in addition to `memory:`: add a line here. */
export const schemes: Readonly<Record<string, StoreScheme>> = {
  dir: async (path) => (await import('@varve/storage/directory')).directoryScheme(path),
  sqlite: async (path) => (await import('@varve/storage/sqlite')).sqliteScheme(path),
};
