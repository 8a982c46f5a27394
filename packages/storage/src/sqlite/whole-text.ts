import { StorageError } from '../contract/error.ts';
import { joinText } from './join-text.ts';
import type { EventRow } from './rows.ts';
import type { TakenOut } from './split-text.ts';
import type { Statements } from './statements.ts';

/** Which conversation is read. */
export interface WhichConversation {
  readonly id: string;
  readonly key: number;
}

/**
 * The exact text of an event, with the strings that are kept as blobs. Runs while the row is read, or in a transaction
 * of the caller.
 *
 * @throws {StorageError} `corrupt` when a string is lost.
 */
export function wholeText(
  statements: Statements,
  { id, key }: WhichConversation,
  { seq, text, blobs }: Pick<EventRow, 'seq' | 'text' | 'blobs'>,
): string {
  if (blobs === null) return text;
  const strings = statements.strings.all(key, seq) as unknown as readonly TakenOut[];
  if (strings.length === blobs) return joinText({ rest: text, strings });
  throw new StorageError('corrupt', `A long string in event ${seq} of conversation ${id} is lost.`);
}
