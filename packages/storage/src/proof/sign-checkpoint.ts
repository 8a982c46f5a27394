import type { Checkpoint, Signer } from '../contract/statement.ts';
import { signedBytes } from './signed-bytes.ts';

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
