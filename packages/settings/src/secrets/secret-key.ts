import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingsError } from '../error.ts';
import { withFileLock } from '../files/file-lock.ts';
import { readTextFile, replaceFile } from '../files/text-file.ts';
import { keychainEntry, type KeychainEntry } from './keychain.ts';

/** Place of the key that encrypts secrets: a file that only its owner can read, or the keychain of the system. */
export type KeyPlace = 'file' | 'keychain';

/** Options of the functions about the key. */
export interface SecretKeyOptions {
  /** Data directory of varve, absolute. */
  readonly home: string;
  /** Default: the keychain of the system. */
  readonly keychain?: KeychainEntry;
}

/** Content of the key file when the key is in the keychain. */
const inKeychain = 'keychain';
const othersMask = 0o077;

/** Returns the file of the key. */
export function secretKeyFile(home: string): string {
  return join(home, 'secrets.key');
}

/**
 * Returns the passphrase of the stored secrets; undefined if none was created.
 *
 * @throws {SettingsError} `invalid` if other users can read the file, or it is empty; `missing` if the keychain has
 * lost the key; `io`.
 */
export async function readSecretKey({ home, keychain }: SecretKeyOptions): Promise<string | undefined> {
  const path = secretKeyFile(home);
  const text = (await readTextFile(path))?.trim();
  if (text === undefined) return undefined;
  // Windows has no such rights.
  const { mode } = process.platform === 'win32' ? { mode: 0 } : await stat(path);
  if ((mode & othersMask) !== 0) throw new SettingsError('invalid', `Other users can read the key ${path}.`);
  if (text === '') throw new SettingsError('invalid', `The key ${path} is empty.`);
  if (text !== inKeychain) return text;
  const entry = await entryOf(home, keychain).read();
  if (entry === undefined) throw new SettingsError('missing', `The keychain does not contain the key of ${home}.`);
  return entry;
}

/** Returns the passphrase, and creates it in the key file with the first call. Concurrent callers get the same. */
export async function createSecretKey(options: SecretKeyOptions): Promise<string> {
  const existing = await readSecretKey(options);
  if (existing !== undefined) return existing;
  return withFileLock(lockFile(options.home), async () => {
    const created = await readSecretKey(options);
    if (created !== undefined) return created;
    const key = randomBytes(32).toString('base64url');
    await replaceFile(secretKeyFile(options.home), `${key}\n`, { mode: 0o600 });
    return key;
  });
}

/**
 * Moves the key to another place; the secrets stay readable at every moment.
 *
 * @throws {SettingsError} `io` if there is no keychain.
 */
export async function moveSecretKey(place: KeyPlace, options: SecretKeyOptions): Promise<void> {
  const key = await createSecretKey(options);
  await withFileLock(lockFile(options.home), async () => {
    if (place === 'keychain') await entryOf(options.home, options.keychain).write(key);
    const text = place === 'keychain' ? inKeychain : key;
    await replaceFile(secretKeyFile(options.home), `${text}\n`, { mode: 0o600 });
  });
}

function entryOf(home: string, keychain: KeychainEntry | undefined): KeychainEntry {
  return keychain ?? keychainEntry(home);
}

function lockFile(home: string): string {
  return join(home, 'secrets.key.lock');
}
