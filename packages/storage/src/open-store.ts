import { StorageError } from './contract/error.ts';
import { memoryStore } from './memory/memory-store.ts';
import type { EventStore } from './contract/store.ts';

/** Opens a store from what follows the scheme in its URL. */
export type StoreScheme = (rest: string) => Promise<EventStore>;

/**
 * Opens the store that a URL names: `memory:`, or any scheme the caller adds, for instance
 * `openStore('sqlite:/tmp/a.db', { sqlite: sqliteScheme })`.
 *
 * @throws {StorageError} `invalid` for a URL without a scheme or with one that is not known; what the scheme throws.
 */
export async function openStore(url: string, schemes: Readonly<Record<string, StoreScheme>> = {}): Promise<EventStore> {
  const known: Readonly<Record<string, StoreScheme>> = { memory: async () => memoryStore(), ...schemes };
  const colon = url.indexOf(':');
  const scheme = Object.hasOwn(known, url.slice(0, Math.max(colon, 0))) ? known[url.slice(0, colon)] : undefined;
  if (!scheme) {
    const names = Object.keys(known).map((name) => `${name}:`);
    throw new StorageError('invalid', `"${url}" is not the URL of a store; the schemes are ${names.join(', ')}.`);
  }
  return scheme(url.slice(colon + 1));
}
