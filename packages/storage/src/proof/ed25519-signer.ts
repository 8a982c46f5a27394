import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { StorageError } from '../contract/error.ts';
import type { Signer } from '../contract/statement.ts';
import { didOf } from './did-key.ts';

/** PKCS #8 header that precedes the 32 bytes of an Ed25519 private key. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Returns a signer for an Ed25519 private key, passed as a `KeyObject`, as PEM or as its 32 bytes.
 *
 * @throws {StorageError} `invalid` for any other key.
 */
export function ed25519Signer(key: KeyObject | string | Uint8Array): Signer {
  const privateKey = keyFrom(key);
  return { did: didOf(createPublicKey(privateKey)), sign: (bytes) => sign(null, bytes, privateKey) };
}

function keyFrom(key: KeyObject | string | Uint8Array): KeyObject {
  try {
    const privateKey = parseKey(key);
    if (privateKey.type === 'private' && privateKey.asymmetricKeyType === 'ed25519') return privateKey;
  } catch {
    // The error is dropped because its message may quote the key.
  }
  throw new StorageError('invalid', 'The signing key is not an Ed25519 private key.');
}

function parseKey(key: KeyObject | string | Uint8Array): KeyObject {
  if (typeof key === 'string') return createPrivateKey(key);
  if (!(key instanceof Uint8Array)) return key;
  return createPrivateKey({ key: Buffer.concat([pkcs8, key]), format: 'der', type: 'pkcs8' });
}
