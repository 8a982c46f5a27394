import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { ed25519Signer } from '@varve/storage';
import { readKeyFile } from '../src/orxhestra/key-file.ts';

/** Key of RFC 8032, section 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const common = { did_key: ed25519Signer(seed).did, algorithm: 'Ed25519' };
const plain = JSON.stringify({ ...common, private_key_b64: seed.toString('base64') });

/** Returns the token that Fernet makes of a content. */
function fernet(content: Buffer, password: string): string {
  const key = pbkdf2Sync(password, 'orxhestra-signing-key-v1', 480_000, 32, 'sha256');
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), Buffer.alloc(16, 1));
  const head = Buffer.concat([Buffer.from([0x80]), Buffer.alloc(8), Buffer.alloc(16, 1)]);
  const body = Buffer.concat([head, cipher.update(content), cipher.final()]);
  const mac = createHmac('sha256', key.subarray(0, 16)).update(body).digest();
  return Buffer.concat([body, mac]).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

test('a plain key is read, and is that of its DID', () => {
  expect(ed25519Signer(readKeyFile(plain)).did).toBe(common.did_key);
});

test('an encrypted key is read with its password', () => {
  const file = JSON.stringify({
    ...common,
    private_key_encrypted: fernet(seed, 'secret'),
    encryption: 'fernet-pbkdf2-sha256',
  });
  expect(Buffer.from(readKeyFile(file, 'secret'))).toEqual(seed);
  expect(() => readKeyFile(file, 'other')).toThrow('the password is wrong');
});

test.for([
  ['no JSON', '{', 'no Ed25519 key'],
  ['no key', JSON.stringify(common), 'no Ed25519 key'],
  ['a token that is none', JSON.stringify({ ...common, private_key_encrypted: 'AAAA' }), 'no Ed25519 key'],
  ['a short key', JSON.stringify({ ...common, private_key_b64: 'AAAA' }), 'no Ed25519 key'],
  ['the key of another DID', plain.replace('z6Mkt', 'z6Mku'), 'no Ed25519 key'],
  ['another algorithm', plain.replace('"Ed25519"', '"RSA"'), 'no Ed25519 key'],
] as const)('a file with %s is refused, and not quoted', ([, text, reason]) => {
  expect(() => readKeyFile(text)).toThrow(reason);
  expect(() => readKeyFile(text)).not.toThrow(seed.toString('base64'));
});
