import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SettingsError } from '../error.ts';
import { fernet, keyOfPassphrase } from './fernet.ts';
import { moveSecretKey, secretKeyFile } from './secret-key.ts';
import { receivedSource, redacted, type SecretSource } from './secret-source.ts';
import { secretStore } from './secret-store.ts';
import { secretsForRun } from './secrets-for-run.ts';

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'varve-secrets-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}

interface StoredSecrets {
  readonly secrets: { readonly A: { token: string } };
}

function secret(value: string): SecretSource {
  return { kind: 'StaticSecret', value, description: 'A token.' };
}

function textsIn(home: string): string {
  return readdirSync(home)
    .map((name) => readFileSync(join(home, name), 'utf8'))
    .join('\n');
}

test('a value is stored encrypted, with a key that only its owner can read', async () => {
  const home = newHome();
  const store = secretStore({ home });
  expect(await store.list()).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
  await store.set('TOKEN', secret('canary-value'));
  expect(textsIn(home)).not.toContain('canary-value');
  expect(['secrets.json', 'secrets.key'].map((name) => statSync(join(home, name)).mode & 0o777)).toEqual([
    0o600, 0o600,
  ]);
  expect(await secretStore({ home }).value('TOKEN')).toBe('canary-value');
  expect(await secretStore({ home }).list()).toEqual([
    { name: 'TOKEN', kind: 'StaticSecret', description: 'A token.' },
  ]);
});

test('what is stored is not decrypted as a token of a client, and tokens of earlier versions are read', async () => {
  const home = newHome();
  const store = secretStore({ home, passphrase: 'pass' });
  await store.set('A', secret('a'));
  const stored = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as StoredSecrets;
  const [tokens, storage] = [await store.cipher(), await store.storageCipher()];
  expect(tokens.decrypt(stored.secrets.A.token)).toBeUndefined();
  expect(tokens.decrypt(storage.encrypt('x'))).toBeUndefined();
  expect(tokens.decrypt(fernet(keyOfPassphrase('pass')).encrypt('x'))).toBe('x');
  stored.secrets.A.token = tokens.encrypt(JSON.stringify({ name: 'A', source: secret('before') }));
  writeFileSync(join(home, 'secrets.json'), JSON.stringify(stored));
  expect(await store.value('A')).toBe('before');
});

test('a secret is replaced and removed', async () => {
  const store = secretStore({ home: newHome() });
  await store.set('A', secret('one'));
  await store.set('A', secret('two'));
  expect(await store.value('A')).toBe('two');
  expect([await store.remove('A'), await store.remove('A')]).toEqual([true, false]);
  expect(await store.value('A')).toBeUndefined();
  expect(await store.value('toString')).toBeUndefined();
});

test('concurrent writers lose nothing, and create one key', async () => {
  const home = newHome();
  const names = Array.from({ length: 8 }, (_, index) => `S${index}`);
  await Promise.all(names.map((name) => secretStore({ home }).set(name, secret(`value of ${name}`))));
  const { values } = await secretsForRun(secretStore({ home }));
  expect(values).toEqual(Object.fromEntries(names.map((name) => [name, `value of ${name}`])));
});

test('a passphrase of the caller encrypts, and leaves no key on disk', async () => {
  const home = newHome();
  const store = secretStore({ home, passphrase: ' pass \n' });
  await store.set('A', secret('x'));
  expect(existsSync(secretKeyFile(home))).toBe(false);
  expect(await secretStore({ home, passphrase: 'pass' }).value('A')).toBe('x');
  await expect(secretStore({ home, passphrase: 'other' }).value('A')).rejects.toThrow('cannot be decrypted');
  await expect(secretStore({ home }).value('A')).rejects.toThrow('cannot be decrypted');
});

test('what the key file encrypted is read with a passphrase, too', async () => {
  const home = newHome();
  await secretStore({ home }).set('A', secret('x'));
  expect(await secretStore({ home, passphrase: 'later' }).value('A')).toBe('x');
});

test('a token that is moved to another name is not that secret', async () => {
  const home = newHome();
  const store = secretStore({ home });
  await store.set('A', secret('a'));
  await store.set('B', secret('b'));
  const file = join(home, 'secrets.json');
  const content = JSON.parse(readFileSync(file, 'utf8')) as { secrets: Record<string, unknown> };
  writeFileSync(file, JSON.stringify({ ...content, secrets: { A: content.secrets['B'] } }));
  await expect(store.value('A')).rejects.toMatchObject({ code: 'invalid' });
});

test('a key that other users can read is refused', async () => {
  const home = newHome();
  const store = secretStore({ home });
  await store.set('A', secret('a'));
  chmodSync(secretKeyFile(home), 0o644);
  await expect(store.value('A')).rejects.toThrow('Other users can read the key');
});

test('the key moves to the keychain and back', async () => {
  const home = newHome();
  let kept: string | undefined;
  const keychain = {
    read: async () => kept,
    write: async (text: string) => {
      kept = text;
    },
  };
  await secretStore({ home, keychain }).set('A', secret('a'));
  const key = readFileSync(secretKeyFile(home), 'utf8').trim();
  await moveSecretKey('keychain', { home, keychain });
  expect([kept, textsIn(home).includes(key)]).toEqual([key, false]);
  expect(await secretStore({ home, keychain }).value('A')).toBe('a');
  await moveSecretKey('file', { home, keychain });
  kept = undefined;
  expect(await secretStore({ home, keychain }).value('A')).toBe('a');
});

test('without a keychain the key stays in its file', async () => {
  const home = newHome();
  const keychain = {
    read: async () => undefined,
    write: () => Promise.reject(new SettingsError('io', 'The keychain of the system is not available.')),
  };
  await secretStore({ home, keychain }).set('A', secret('a'));
  await expect(moveSecretKey('keychain', { home, keychain })).rejects.toMatchObject({ code: 'io' });
  expect(await secretStore({ home, keychain }).value('A')).toBe('a');
});

test.for(['', '1A', 'A-B', 'A B', '__proto__', 'A'.repeat(65)])('%j is not the name of a secret', async (name) => {
  await expect(secretStore({ home: newHome() }).set(name, secret('x'))).rejects.toMatchObject({ code: 'invalid' });
});

test('a secret that is not available is a problem without its value', async () => {
  const home = newHome();
  const store = secretStore({ home });
  await store.set('GOOD', secret('good'));
  await store.set('BAD', { kind: 'LookupSecret', url: 'http://x.example/canary', headers: {}, description: undefined });
  const { values, problems } = await secretsForRun(store);
  expect(values).toEqual({ GOOD: 'good' });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^The secret BAD is not available\. .*HTTPS/);
  expect(problems[0]).not.toContain('canary');
});

test('encrypted headers of a source are decrypted, and others are kept', () => {
  const cipher = fernet(keyOfPassphrase('pass'));
  const source = { kind: 'LookupSecret', url: 'https://x.example/', description: undefined };
  const headers = { Authorization: 'canary', Accept: 'text/plain' };
  const sent = { ...source, headers: { ...headers, Authorization: cipher.encrypt('canary') } };
  expect(receivedSource(sent, cipher)).toEqual({ ...source, headers });
});

test('a client sends a text, a value or a source; what is not set is absent', () => {
  const cipher = fernet(keyOfPassphrase('pass'));
  const set = ['x', { value: 'x' }, { kind: 'StaticSecret', value: cipher.encrypt('x'), description: null }];
  expect(set.map((input) => receivedSource(input, cipher))).toEqual(
    set.map(() => ({ kind: 'StaticSecret', value: 'x' })),
  );
  const other = fernet(keyOfPassphrase('other')).encrypt('x');
  const unset = ['', ' ', redacted, other, { value: null }, { kind: 'CallableSecret' }, 7, null];
  expect(unset.map((input) => receivedSource(input, cipher))).toEqual(unset.map(() => undefined));
});
