import type { Checkpoint, Tombstone } from '../contract/statement.ts';

type Unsigned = Omit<Checkpoint, 'signature'> | Omit<Tombstone, 'signature'>;

/** What the signature of a statement is over: everything it says, and the conversation that it is about. */
export function signedBytes(conversation: string, statement: Unsigned): Uint8Array {
  const { kind, seq, signer, at } = statement;
  const said = kind === 'checkpoint' ? [statement.seal] : [statement.was, statement.is, statement.reason];
  return Buffer.from(JSON.stringify([`varve.${kind}.1`, conversation, seq, ...said, signer, at]));
}
