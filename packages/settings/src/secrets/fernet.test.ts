import { expect, test } from 'vitest';
import { fernet, firstOf, isToken, keyOfPassphrase } from './fernet.ts';

const key = Buffer.from('cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=', 'base64url');
const token = 'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';

test('the example of the specification is encrypted and decrypted', () => {
  const cipher = fernet(key, {
    now: () => Date.parse('1985-10-26T01:20:00-07:00'),
    random: () => Uint8Array.from({ length: 16 }, (_, index) => index),
  });
  expect(cipher.encrypt('hello')).toBe(token);
  expect(cipher.decrypt(token)).toBe('hello');
  expect(cipher.decrypt(token.replace('==', ''))).toBe('hello');
  expect(isToken(token)).toBe(true);
});

test.for(['', 'ä'.repeat(100), 'line\nfeed', 'x'.repeat(15), 'x'.repeat(16)])('%j is restored', (text) => {
  const cipher = fernet(keyOfPassphrase('passphrase'));
  expect(cipher.decrypt(cipher.encrypt(text))).toBe(text);
});

test('a token with any changed character is not decrypted', () => {
  const cipher = fernet(key);
  const changed = Array.from(
    { length: token.length - 2 },
    (_, at) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1),
  );
  // The last character has bits that encode nothing.
  expect(changed.slice(0, -1).filter((changedToken) => cipher.decrypt(changedToken) !== undefined)).toEqual([]);
  expect(['', 'gAAAA', token.slice(0, 80)].map((text) => cipher.decrypt(text))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a token of another key is not decrypted, except by a cipher that has both', () => {
  const [left, right] = [fernet(keyOfPassphrase('one')), fernet(keyOfPassphrase('other'))];
  expect(right.decrypt(left.encrypt('x'))).toBeUndefined();
  expect(firstOf(right, left).decrypt(left.encrypt('x'))).toBe('x');
  expect(right.decrypt(firstOf(right, left).encrypt('x'))).toBe('x');
});
