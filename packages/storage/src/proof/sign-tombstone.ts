import type { Signer, Tombstone } from '../contract/statement.ts';
import { signedBytes } from './signed-bytes.ts';

/** What a tombstone says, besides who says it. */
export interface Replaced extends Pick<Tombstone, 'seq' | 'was' | 'is' | 'reason' | 'at'> {
  readonly conversation: string;
}

/** Makes a tombstone. */
export function signTombstone({ conversation, seq, was, is, reason, at }: Replaced, signer: Signer): Tombstone {
  const unsigned = { kind: 'tombstone', seq, was, is, reason, signer: signer.did, at } as const;
  const signature = signer.sign(signedBytes(conversation, unsigned));
  return { ...unsigned, signature: Buffer.from(signature).toString('base64url') };
}
