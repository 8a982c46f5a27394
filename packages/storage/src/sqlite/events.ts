import { StorageError } from '../contract/error.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { PlannedEvent } from '../kit/plan-append.ts';
import { insertLongStrings, joinText, inlineLimit, splitText, type LongString } from './long-strings.ts';
import { sealBytes } from './statements.ts';
import { type EventRow, type Statements, toEvent } from './statements.ts';

/** Stores an event with its seal, its long strings apart; in a transaction of the caller. */
export function insertEvent(
  statements: Statements,
  key: number,
  { seq, id, kind, parentId, text, seal }: PlannedEvent & { readonly seal: string },
): void {
  const { rest, strings } = splitText(text, inlineLimit);
  statements.insertEvent.run(key, seq, id, kind, parentId ?? null, rest, strings.length || null, sealBytes(seal));
  insertLongStrings(statements, { key, seq }, strings);
}

/** Which events are read. */
export interface EventRange extends ConversationKey {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
}

/**
 * Events of one conversation with their exact texts, in order of seq. Reads one moment of the database until it ends.
 *
 * @throws {StorageError} `corrupt` when a part of a text is lost.
 */
export function* readEvents(statements: Statements, { id, key, from, to, limit }: EventRange): Generator<Stored> {
  for (const row of statements.events.iterate(key, from, to, limit)) {
    const event = toEvent(row);
    const { seq, id: eventId, kind, parent_id: parentId } = event;
    const text = fullText(statements, { id, key }, event);
    yield { seq, id: eventId, kind, parentId: parentId ?? undefined, text };
  }
}

/** Which conversation is read. */
export interface ConversationKey {
  readonly id: string;
  readonly key: number;
}

/**
 * The exact text of an event, with the strings that are kept as blobs. Runs while the row is read, or in a transaction
 * of the caller.
 *
 * @throws {StorageError} `corrupt` when a string is lost.
 */
export function fullText(
  statements: Statements,
  { id, key }: ConversationKey,
  { seq, text, blobs }: Pick<EventRow, 'seq' | 'text' | 'blobs'>,
): string {
  if (blobs === null) return text;
  const strings = statements.strings.all(key, seq) as unknown as readonly LongString[];
  if (strings.length === blobs) return joinText({ rest: text, strings });
  throw new StorageError('corrupt', `A long string in event ${seq} of conversation ${id} is lost.`);
}

/** Gives an event another text; in a transaction of the caller. */
export function replaceText(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  text: string,
): void {
  const { rest, strings } = splitText(text, inlineLimit);
  statements.deleteStrings.run(key, seq);
  statements.setText.run(rest, strings.length || null, key, seq);
  // What it said before is in the index, too.
  statements.deleteFacts.run(key, seq);
  statements.limitIndexedHead.run(seq, key);
  insertLongStrings(statements, { key, seq }, strings);
}
