import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { StorageError } from '../contract/error.ts';
import type { Signer } from '../contract/statement.ts';
import { didOf } from './did-key.ts';

/** What comes before the 32 bytes of a private key in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Signs with an Ed25519 private key, given as a `KeyObject`, as PEM or as its 32 bytes.
 *
 * @throws {StorageError} `invalid` when it is none.
 */
export function ed25519Signer(key: KeyObject | string | Uint8Array): Signer {
  const privateKey = keyFrom(key);
  return { did: didOf(createPublicKey(privateKey)), sign: (bytes) => sign(null, bytes, privateKey) };
}

function keyFrom(key: KeyObject | string | Uint8Array): KeyObject {
  try {
    const read = readKey(key);
    if (read.type === 'private' && read.asymmetricKeyType === 'ed25519') return read;
  } catch {
    // The cause may quote the key.
  }
  throw new StorageError('invalid', 'The signing key is no Ed25519 private key.');
}

function readKey(key: KeyObject | string | Uint8Array): KeyObject {
  if (typeof key === 'string') return createPrivateKey(key);
  if (!(key instanceof Uint8Array)) return key;
  return createPrivateKey({ key: Buffer.concat([pkcs8, key]), format: 'der', type: 'pkcs8' });
}
