import { verify } from 'node:crypto';
import type { Checkpoint, Signer, Tombstone } from '../contract/statement.ts';
import { publicKeyOf } from './did-key.ts';

type Unsigned = Omit<Checkpoint, 'signature'> | Omit<Tombstone, 'signature'>;

/** Returns the bytes that a statement's signature covers: all of its fields, and the conversation id. */
export function signedBytes(conversation: string, statement: Unsigned): Uint8Array {
  const { kind, seq, signer, at } = statement;
  const fields = kind === 'checkpoint' ? [statement.seal] : [statement.was, statement.is, statement.reason];
  return Buffer.from(JSON.stringify([`varve.${kind}.1`, conversation, seq, ...fields, signer, at]));
}

/** Checks a statement's signature for this conversation. Does not check that the signer is trusted. */
export function hasValidSignature(conversation: string, statement: Checkpoint | Tombstone): boolean {
  const key = publicKeyOf(statement.signer);
  const signature = Buffer.from(statement.signature, 'base64url');
  return (
    key !== undefined && signature.length === 64 && verify(null, signedBytes(conversation, statement), key, signature)
  );
}

/** Fields of a checkpoint to sign. */
export interface CheckpointFields extends Pick<Checkpoint, 'seq' | 'seal' | 'at'> {
  readonly conversation: string;
}

/** Signs a checkpoint. */
export function signCheckpoint({ conversation, seq, seal, at }: CheckpointFields, signer: Signer): Checkpoint {
  return signed(conversation, { kind: 'checkpoint', seq, seal, signer: signer.did, at }, signer);
}

/** Fields of a tombstone to sign. */
export interface TombstoneFields extends Pick<Tombstone, 'seq' | 'was' | 'is' | 'reason' | 'at'> {
  readonly conversation: string;
}

/** Signs a tombstone. */
export function signTombstone({ conversation, seq, was, is, reason, at }: TombstoneFields, signer: Signer): Tombstone {
  return signed(conversation, { kind: 'tombstone', seq, was, is, reason, signer: signer.did, at }, signer);
}

function signed<Fields extends Unsigned>(conversation: string, unsigned: Fields, signer: Signer) {
  const signature = signer.sign(signedBytes(conversation, unsigned));
  return { ...unsigned, signature: Buffer.from(signature).toString('base64url') };
}
