import { createPublicKey, type KeyObject } from 'node:crypto';
import { didKeyOf, publicKeyInDid } from '@varve/text';

/** Returns the DID of an Ed25519 public key: `did:key:z6Mk…`. */
export function didOf(key: KeyObject): string {
  const { x = '' } = key.export({ format: 'jwk' });
  return didKeyOf(Buffer.from(x, 'base64url'));
}

/** Returns the Ed25519 public key in a DID, or `undefined` for any other text. */
export function publicKeyOf(did: string): KeyObject | undefined {
  const bytes = publicKeyInDid(did);
  if (!bytes) return undefined;
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') },
    format: 'jwk',
  });
}

/** Returns true for the DID of an Ed25519 public key. */
export function isPublicKey(did: string): boolean {
  return publicKeyInDid(did) !== undefined;
}
