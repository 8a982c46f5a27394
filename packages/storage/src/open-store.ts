import { withoutPassword } from '@varve/text';
import { StorageError } from './contract/error.ts';
import type { EventStore, StoreScheme } from './contract/store.ts';
import { memoryStore } from './memory/memory-store.ts';

/**
 * Opens the store that a URL names: `memory:`, or any scheme that the caller adds, for instance
 * `openStore('sqlite:/tmp/a.db', { sqlite: sqliteScheme })`.
 *
 * @throws {StorageError} `invalid` for a URL without a scheme, with an unknown one, or with U+0000. Errors of the
 *   scheme.
 */
export async function openStore(url: string, schemes: Readonly<Record<string, StoreScheme>> = {}): Promise<EventStore> {
  const known: Readonly<Record<string, StoreScheme>> = { memory: async () => memoryStore(), ...schemes };
  const colon = url.indexOf(':');
  const scheme = Object.hasOwn(known, url.slice(0, Math.max(colon, 0))) ? known[url.slice(0, colon)] : undefined;
  if (!scheme) {
    const names = Object.keys(known).map((name) => `${name}:`);
    throw new StorageError(
      'invalid',
      `"${withoutPassword(url)}" is not the URL of a store; the schemes are ${names.join(', ')}.`,
    );
  }
  // No file system has it in a name, and Node throws an error of another kind for it.
  if (url.includes('\0'))
    throw new StorageError('invalid', `The URL ${JSON.stringify(withoutPassword(url))} contains U+0000.`);
  return scheme(url.slice(colon + 1));
}
