import type { StoreScheme } from '@varve/storage';

/** Schemes of stores whose URL is a path. */
export const diskSchemes: Readonly<Record<string, StoreScheme>> = {
  dir: async (path) => (await import('@varve/storage/directory')).directoryScheme(path),
  sqlite: async (path) => (await import('@varve/storage/sqlite')).sqliteScheme(path),
};

const postgres: StoreScheme = async (rest) => (await import('@varve/storage-postgres')).postgresScheme(rest);

/** Store schemes that the command opens in addition to `memory:`: add a line here, or above. */
export const schemes: Readonly<Record<string, StoreScheme>> = { ...diskSchemes, postgres, postgresql: postgres };

const existing: StoreScheme = async (rest) => (await import('@varve/storage-postgres')).existingPostgresScheme(rest);

/** As `schemes`, for commands that only read: a database without tables is `missing`. */
export const existingSchemes: typeof schemes = { ...schemes, postgres: existing, postgresql: existing };
