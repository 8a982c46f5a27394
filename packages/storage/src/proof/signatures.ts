import { verify } from 'node:crypto';
import type { Checkpoint, Signer, Tombstone } from '../contract/statement.ts';
import { keyOf } from './did-key.ts';

type Unsigned = Omit<Checkpoint, 'signature'> | Omit<Tombstone, 'signature'>;

/** What the signature of a statement is over: everything it says, and the conversation that it is about. */
export function signedBytes(conversation: string, statement: Unsigned): Uint8Array {
  const { kind, seq, signer, at } = statement;
  const said = kind === 'checkpoint' ? [statement.seal] : [statement.was, statement.is, statement.reason];
  return Buffer.from(JSON.stringify([`varve.${kind}.1`, conversation, seq, ...said, signer, at]));
}

/** Whether the signer that a statement names has signed it, for this conversation. Says nothing of who that is. */
export function hasValidSignature(conversation: string, statement: Checkpoint | Tombstone): boolean {
  const key = keyOf(statement.signer);
  const signature = Buffer.from(statement.signature, 'base64url');
  return (
    key !== undefined && signature.length === 64 && verify(null, signedBytes(conversation, statement), key, signature)
  );
}

/** What a checkpoint is about. */
export interface SealedPlace {
  readonly conversation: string;
  readonly seq: number;
  readonly seal: string;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Makes a checkpoint. */
export function signCheckpoint({ conversation, seq, seal, at }: SealedPlace, signer: Signer): Checkpoint {
  const unsigned = { kind: 'checkpoint', seq, seal, signer: signer.did, at } as const;
  const signature = signer.sign(signedBytes(conversation, unsigned));
  return { ...unsigned, signature: Buffer.from(signature).toString('base64url') };
}

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
