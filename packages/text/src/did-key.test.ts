import { expect, test } from 'vitest';
import { didKeyOf, fromBase58, publicKeyInDid, toBase58 } from './did-key.ts';

/** @see https://www.rfc-editor.org/rfc/rfc8032 section 7.1, test 1 */
const publicKey = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const did = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw';

test('a public key has a DID, and the DID contains the key', () => {
  expect(didKeyOf(publicKey)).toBe(did);
  expect(Buffer.from(publicKeyInDid(did) ?? []).toString('hex')).toBe(publicKey.toString('hex'));
});

test('base58 keeps leading zeros', () => {
  const bytes = Uint8Array.from([0, 0, 1, 255]);
  expect(toBase58(bytes)).toBe('11' + toBase58(Uint8Array.from([1, 255])));
  expect(fromBase58(toBase58(bytes))).toEqual(bytes);
  expect(fromBase58('0')).toBeUndefined();
});
