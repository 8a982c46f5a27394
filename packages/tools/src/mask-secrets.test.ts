import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

test('a secret is hidden in text and anywhere in a JSON value', () => {
  const mask = maskSecrets(['swordfish']);
  expect(mask('the swordfish, twice: swordfish')).toBe('the <secret-hidden>, twice: <secret-hidden>');
  expect(mask({ a: ['x', { b: 'swordfish' }], c: 1, d: null })).toEqual({
    a: ['x', { b: '<secret-hidden>' }],
    c: 1,
    d: null,
  });
});

test('the longest secret wins', () => {
  expect(maskSecrets(['pass', 'password1', 'word'])('password1 password2')).toBe(
    '<secret-hidden> <secret-hidden><secret-hidden>2',
  );
});

test('values shorter than four characters are not hidden', () => {
  expect(maskSecrets(['', 'abc'])('abc')).toBe('abc');
});

test('characters with a meaning in patterns are literal', () => {
  expect(maskSecrets(['a.c+(x)|$^\\[y]{2}/'])('abcc a.c+(x)|$^\\[y]{2}/')).toBe('abcc <secret-hidden>');
});

test('property names and what is hidden already stay', () => {
  const mask = maskSecrets(['secret', 'hidden']);
  expect(mask({ secret: 'a secret' })).toEqual({ secret: 'a <secret-hidden>' });
  expect(mask(mask('secret'))).toBe('<secret-hidden>');
});

test('a value without secrets is returned itself, and the input is never changed', () => {
  const mask = maskSecrets(['swordfish']);
  const clean = Object.freeze({ a: Object.freeze(['x']) });
  expect(mask(clean)).toBe(clean);
  const part = Object.freeze({ same: clean, other: 'swordfish' });
  expect(mask(part).same).toBe(clean);
  expect(part.other).toBe('swordfish');
  expect(maskSecrets([])(part)).toBe(part);
});

test('a list that changes is followed', () => {
  const known = ['first'];
  const mask = maskSecrets(() => known);
  expect(mask('first second')).toBe('<secret-hidden> second');
  known.push('second');
  expect(mask('first second')).toBe('<secret-hidden> <secret-hidden>');
});

test('every usual spelling of any secret is hidden', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 4, maxLength: 40 }), (secret) => {
      const mask = maskSecrets([secret]);
      const bytes = Buffer.from(secret);
      const spellings = [secret, bytes.toString('base64'), bytes.toString('base64url'), encodeURIComponent(secret)];
      for (const spelling of spellings)
        expect(mask(`Authorization: ${spelling} end`)).not.toContain(`: ${spelling} end`);
      expect(mask(JSON.stringify({ secret }))).not.toContain(JSON.stringify(secret));
    }),
  );
});

test('the white space around a secret need not be there, and long lines of it are found alone', () => {
  const mask = maskSecrets(['swordfish\n', '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nAA==\n-----END KEY-----\n']);
  expect(mask('a swordfish.')).toBe('a <secret-hidden>.');
  expect(mask('MIIEvQIBADANBgkq')).toBe('<secret-hidden>');
  expect(mask('AA==')).toBe('AA==');
});
