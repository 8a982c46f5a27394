import { createPublicKey, type KeyObject } from 'node:crypto';
import { fromBase58, toBase58 } from './base58.ts';

const ed25519 = [0xed, 0x01];
const scheme = 'did:key:z';

/**
 * Names an Ed25519 public key: `did:key:z6Mk…`.
 *
 * @see https://w3c-ccg.github.io/did-key-spec/
 */
export function didOf(key: KeyObject): string {
  const { x = '' } = key.export({ format: 'jwk' });
  return `${scheme}${toBase58(Uint8Array.from([...ed25519, ...Buffer.from(x, 'base64url')]))}`;
}

/** The Ed25519 public key that a name holds; nothing when the name holds none. */
export function keyOf(did: string): KeyObject | undefined {
  const bytes = did.startsWith(scheme) && did.length < 64 ? fromBase58(did.slice(scheme.length)) : undefined;
  if (bytes?.length !== 34 || ed25519.some((byte, index) => bytes[index] !== byte)) return undefined;
  const x = Buffer.from(bytes.slice(ed25519.length)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
