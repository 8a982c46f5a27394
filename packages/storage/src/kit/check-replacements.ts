import { StorageError } from '../contract/error.ts';
import type { Stored } from '../contract/log-reader.ts';
import { digestOf } from '../proof/digest-of.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { Replacement } from '../contract/proof-writer.ts';

/** Refuses replacements that their tombstones do not tell of. @throws {StorageError} `invalid`, `missing`. */
export function checkReplacements(
  id: string,
  replacements: readonly Replacement[],
  find: (seq: number) => Stored | undefined,
): void {
  for (const { tombstone, text } of replacements) {
    const { seq, is } = tombstone;
    const event = find(seq);
    if (!event) throw new StorageError('missing', `Conversation ${id} has no event ${seq}.`);
    const isTold = parseStatement(tombstone) !== undefined && digestOf({ ...event, text }) === is;
    if (isTold && Buffer.byteLength(text) === Buffer.byteLength(event.text)) continue;
    throw new StorageError(
      'invalid',
      `The new text of event ${seq} of conversation ${id} is not what its tombstone says.`,
    );
  }
}
