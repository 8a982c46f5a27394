import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { didKeyOf } from '@varve/text';
import type { EventSigner } from '../../src/orxhestra/trust.ts';

/** Returns a signer for the 32 bytes of an Ed25519 private key. */
export function ed25519Signer(seed: Uint8Array): EventSigner {
  const header = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { did: didKeyOf(Buffer.from(x, 'base64url')), sign: (bytes) => sign(null, bytes, key) };
}
