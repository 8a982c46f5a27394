import { join } from 'node:path';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { SettingsError } from '../error.ts';
import { readJsonFile, updateJsonFile } from '../files/update-file.ts';
import { fernet, firstOf, keyOfPassphrase, storageKeyOf, type Cipher } from './fernet.ts';
import { valueOf, type LookupOptions } from './lookup.ts';
import { createSecretKey, readSecretKey, type SecretKeyOptions } from './secret-key.ts';
import { secretName, secretSource, type SecretSource } from './secret-source.ts';

/** Options of {@link secretStore}. */
export interface SecretStoreOptions extends SecretKeyOptions, LookupOptions {
  /** Passphrase of the caller, such as `OH_SECRET_KEY`; default: one in a key file, created with the first secret. */
  readonly passphrase?: string | undefined;
}

/** Name of a stored secret, and what is known about it without its key. */
export interface SecretListing {
  readonly name: string;
  readonly kind: SecretSource['kind'];
  readonly description?: string | undefined;
}

/** Secrets of a person, encrypted on disk. Names and descriptions are not. */
export interface SecretStore {
  /** Sorted by name. Needs no key. */
  list(): Promise<readonly SecretListing[]>;
  /** @throws {SettingsError} `invalid` if the key is another one. */
  source(name: string): Promise<SecretSource | undefined>;
  /** Returns the value, of a lookup from its server. @throws {SettingsError} as `source` and {@link valueOf}. */
  value(name: string): Promise<string | undefined>;
  /** Adds or replaces a secret. @throws {SettingsError} `invalid` for a bad name or source. */
  set(name: string, source: SecretSource): Promise<void>;
  /** Returns false if there is no such secret. */
  remove(name: string): Promise<boolean>;
  /**
   * Returns the cipher of the tokens that clients receive and send back, which the reference uses, too. It does not
   * decrypt what {@link SecretStore.storageCipher} encrypted. Creates the key if it is missing.
   */
  cipher(): Promise<Cipher>;
  /** Returns the cipher of the stored secrets, for other records in the data directory. Creates the key. */
  storageCipher(): Promise<Cipher>;
}

const stored = lazy(() =>
  z.object({
    kind: z.enum(['StaticSecret', 'LookupSecret']),
    description: z.string().optional(),
    /** Encrypted `{name, source}`: a token that is moved to another name is not that secret. */
    token: z.string(),
  }),
);
const file = lazy(() => z.object({ version: z.literal(1), secrets: z.record(secretName(), stored()) }));
const content = lazy(() => z.object({ name: secretName(), source: secretSource() }));

/** Returns the secrets in a data directory. Nothing is read or created before the first call. */
export function secretStore(options: SecretStoreOptions): SecretStore {
  const path = join(options.home, 'secrets.json');
  const lockFile = join(options.home, 'secrets.lock');
  const secretsIn = async () => (await readJsonFile(path, file()))?.secrets ?? {};
  const update = (
    change: (secrets: z.output<ReturnType<typeof file>>['secrets']) => z.output<ReturnType<typeof file>>['secrets'],
  ) =>
    updateJsonFile(path, file(), (before) => ({ version: 1 as const, secrets: change(before?.secrets ?? {}) }), {
      lockFile,
      mode: 0o600,
    });
  const sourceOf = async (name: string): Promise<SecretSource | undefined> => {
    const secrets = await secretsIn();
    const record = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    return record && decrypted(name, record.token, (await existingCiphers(options))?.storage);
  };
  return {
    list: async () =>
      Object.entries(await secretsIn())
        .map(([name, { kind, description }]) => ({ name, kind, ...(description !== undefined && { description }) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    source: sourceOf,
    async value(name) {
      const source = await sourceOf(name);
      return source && valueOf(source, options);
    },
    async set(name, source) {
      if (!secretName().safeParse(name).success)
        throw new SettingsError('invalid', `${JSON.stringify(name)} is not the name of a secret.`);
      const { data } = secretSource().safeParse(source);
      if (!data) throw new SettingsError('invalid', `The source of the secret ${name} is invalid.`);
      const { kind, description } = data;
      const token = (await ciphersOf(options)).storage.encrypt(JSON.stringify({ name, source: data }));
      const entry = { kind, token, ...(description !== undefined && { description }) };
      await update((secrets) => ({ ...secrets, [name]: entry }));
    },
    async remove(name) {
      let isRemoved = false;
      await update(({ [name]: removed, ...others }) => {
        isRemoved = removed !== undefined;
        return others;
      });
      return isRemoved;
    },
    cipher: async () => (await ciphersOf(options)).tokens,
    storageCipher: async () => (await ciphersOf(options)).storage,
  };
}

function decrypted(name: string, token: string, cipher: Cipher | undefined): SecretSource {
  const { data } = content().safeParse(parseJson(cipher?.decrypt(token)));
  if (data?.name !== name)
    throw new SettingsError('invalid', `The secret ${name} cannot be decrypted: its key is another one.`);
  return data.source;
}

/** Ciphers of one passphrase: of the tokens of clients, and of what is stored. */
interface Ciphers {
  readonly tokens: Cipher;
  readonly storage: Cipher;
}

/** The passphrase of the caller encrypts; what the key file encrypted before can still be read. */
async function existingCiphers(options: SecretStoreOptions): Promise<Ciphers | undefined> {
  const storedKey = await readSecretKey(options);
  const passphrases = [options.passphrase?.trim(), storedKey].flatMap((text) => text || []);
  const tokens = passphrases.map((passphrase) => fernet(keyOfPassphrase(passphrase)));
  const [first, ...others] = tokens;
  const [current, ...before] = passphrases.map((passphrase) => fernet(storageKeyOf(passphrase)));
  // Earlier versions encrypted what they stored like the tokens of clients.
  return first && current && { tokens: firstOf(first, ...others), storage: firstOf(current, ...before, ...tokens) };
}

async function ciphersOf(options: SecretStoreOptions): Promise<Ciphers> {
  const passphrase = options.passphrase?.trim();
  if (passphrase === undefined || passphrase === '') await createSecretKey(options);
  const ciphers = await existingCiphers(options);
  if (!ciphers) throw new SettingsError('io', 'There is no key for secrets.');
  return ciphers;
}
