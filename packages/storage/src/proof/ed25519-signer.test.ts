import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { publicKeyOf } from './did-key.ts';
import { ed25519Signer } from './ed25519-signer.ts';

/** @see https://www.rfc-editor.org/rfc/rfc8032 section 7.1, test 1 */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const did = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw';

test('a key of 32 bytes has the DID and the signatures of RFC 8032', () => {
  const signer = ed25519Signer(seed);
  expect(signer.did).toBe(did);
  expect(Buffer.from(signer.sign(new Uint8Array())).toString('hex')).toBe(
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  );
});

test('a key object and its PEM return the same signer, and its DID contains the public key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signer = ed25519Signer(privateKey);
  expect(ed25519Signer(pem).did).toBe(signer.did);
  const key = publicKeyOf(signer.did);
  expect(key?.equals(publicKey)).toBe(true);
  const bytes = Buffer.from('log');
  expect(key && verify(null, bytes, key, signer.sign(bytes))).toBe(true);
});

test.for([
  ['of another kind', generateKeyPairSync('x25519').privateKey],
  ['a public key', generateKeyPairSync('ed25519').publicKey],
  ['too short', new Uint8Array(31)],
  ['a text', 'secret text'],
] as const)('a key that is %s is invalid and not quoted', ([, key]) => {
  const signer = () => ed25519Signer(key);
  expect(signer).toThrow('The signing key is not an Ed25519 private key.');
});

test.for([
  '',
  'did:key:z',
  'did:key:z6Mk',
  did.slice(0, -1),
  `${did}1`,
  did.replace('key', 'web'),
  `${did.slice(0, -1)}0`,
])('the DID %j contains no key', (name) => {
  expect(publicKeyOf(name)).toBeUndefined();
});
