import type { AsyncEntry } from '@napi-rs/keyring';
import { SettingsError } from '../error.ts';

/** Place of one text in the keychain of the operating system. */
export interface KeychainEntry {
  /** Returns the text; undefined if it is missing. @throws {SettingsError} `io` if there is no keychain. */
  read(): Promise<string | undefined>;
  /** @throws {SettingsError} `io` if there is no keychain. */
  write(text: string): Promise<void>;
}

const service = 'varve';

/**
 * Returns the entry of an account in the keychain of macOS, Windows, or the secret service of Linux.
 *
 * @see https://github.com/Brooooooklyn/keyring-node
 */
export function keychainEntry(account: string): KeychainEntry {
  return {
    read: () => withEntry(account, async (entry) => (await entry.getPassword()) ?? undefined),
    write: (text) => withEntry(account, (entry) => entry.setPassword(text)),
  };
}

async function withEntry<T>(account: string, work: (entry: AsyncEntry) => Promise<T>): Promise<T> {
  try {
    // Optional: there is no binary for every system.
    const { AsyncEntry: Entry } = await import('@napi-rs/keyring');
    return await work(new Entry(service, account));
  } catch (error) {
    throw new SettingsError('io', 'The keychain of the system is not available.', { cause: error });
  }
}
