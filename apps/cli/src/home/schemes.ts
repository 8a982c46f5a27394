import type { StoreScheme } from '@varve/storage';
import type { Variables } from '@varve/text';

/** Schemes of stores whose URL is a path. */
export const diskSchemes: Readonly<Record<string, StoreScheme>> = {
  dir: async (path) => (await import('@varve/storage/directory')).directoryScheme(path),
  sqlite: async (path) => (await import('@varve/storage/sqlite')).sqliteScheme(path),
};

/** Variable with the password of a database; the client would read that of the process, from which it is removed. */
const password = 'PGPASSWORD';

/**
 * Returns the store schemes that the command opens in addition to `memory:`: add a line here, or above. `role` receives
 * the rights to append to a database.
 */
export function schemesOf(env: Variables, role?: string): Readonly<Record<string, StoreScheme>> {
  const postgres: StoreScheme = async (rest) =>
    (await import('@varve/storage-postgres')).postgresScheme(rest, { password: env[password], role });
  return { ...diskSchemes, postgres, postgresql: postgres };
}

/** As `schemesOf`, for commands that only read: a database without tables is `missing`. */
export function existingSchemesOf(env: Variables): Readonly<Record<string, StoreScheme>> {
  const postgres: StoreScheme = async (rest) =>
    (await import('@varve/storage-postgres')).existingPostgresScheme(rest, { password: env[password] });
  return { ...diskSchemes, postgres, postgresql: postgres };
}
