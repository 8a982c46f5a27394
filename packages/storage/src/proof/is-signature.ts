import { verify } from 'node:crypto';
import type { Checkpoint, Tombstone } from '../contract/statement.ts';
import { keyOf } from './did-key.ts';
import { signedBytes } from './signed-bytes.ts';

/** Whether the signer that a statement names has signed it, for this conversation. Says nothing of who that is. */
export function hasValidSignature(conversation: string, statement: Checkpoint | Tombstone): boolean {
  const key = keyOf(statement.signer);
  const signature = Buffer.from(statement.signature, 'base64url');
  return (
    key !== undefined && signature.length === 64 && verify(null, signedBytes(conversation, statement), key, signature)
  );
}
