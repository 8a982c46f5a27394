import { createHash } from 'node:crypto';
import { type LongString, inlineLimit, joinText, splitText } from '../kit/long-strings.ts';
import { packText, unpackText } from './packed-text.ts';
import { type Statements, type EventRow, toEvent } from './statements.ts';
import { StorageError } from '../contract/error.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { SealedNewEvent } from '../kit/append.ts';
import { sealBytes } from '../kit/rows.ts';

/** Id and database key of a conversation. */
export interface ConversationKey {
  readonly id: string;
  readonly key: number;
}

/** Position of an event in the database. */
export interface EventKey {
  readonly key: number;
  readonly seq: number;
}

/** Range of events to read. */
export interface EventRange extends ConversationKey {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly limit: number;
}

/** Stores an event with its seal, and its long strings apart; in a transaction of the caller. */
export function insertEvent(statements: Statements, key: number, event: SealedNewEvent): void {
  const { seq, id, kind, parentId, text, seal } = event;
  const { rest, strings } = splitText(text, inlineLimit);
  const packed = packText(rest);
  statements.insertEvent.run(key, seq, id, kind, parentId ?? null, packed, strings.length || null, sealBytes(seal));
  insertLongStrings(statements, { key, seq }, strings);
}

/**
 * Yields events of one conversation with their exact texts, in order of seq. All are read from the same state of the
 * database.
 *
 * @throws {StorageError} `corrupt` if a part of a text is lost.
 */
export function* readEvents(statements: Statements, { id, key, from, to, limit }: EventRange): Generator<Stored> {
  for (const row of statements.events.iterate(key, from, to, limit)) {
    const event = toEvent(row);
    const { seq, id: eventId, kind, parent_id: parentId } = event;
    const text = fullText(statements, { id, key }, event);
    yield { seq, id: eventId, kind, parentId: parentId ?? undefined, text };
  }
}

/**
 * Returns position and text of the event with this id, in a transaction of the caller.
 *
 * @throws {StorageError} `corrupt` if a part of the text is lost.
 */
export function findStored(
  statements: Statements,
  conversation: ConversationKey,
  eventId: string,
): Pick<Stored, 'seq' | 'text'> | undefined {
  const row = statements.eventById.get(conversation.key, eventId);
  return row && { seq: toEvent(row).seq, text: fullText(statements, conversation, toEvent(row)) };
}

/**
 * Returns the exact text of an event, including its long strings. Runs while the row is read, or in a transaction of
 * the caller.
 *
 * @throws {StorageError} `corrupt` if it is damaged, or a string is lost.
 */
export function fullText(
  statements: Statements,
  { id, key }: ConversationKey,
  row: Pick<EventRow, 'seq' | 'blobs' | 'text' | 'packed'>,
): string {
  // The row is not copied: that took as long as reading it.
  const { seq, blobs } = row;
  const rest = inlineText(row);
  if (rest === undefined) {
    throw new StorageError('corrupt', `The text of event ${seq} of conversation ${id} is damaged.`);
  }
  if (blobs === null) return rest;
  const strings = longStringsOf(statements, { key, seq });
  if (strings.length === blobs) return joinText({ rest, strings });
  throw new StorageError('corrupt', `A long string in event ${seq} of conversation ${id} is lost.`);
}

/** Returns the text of an event without its long strings; undefined if it is damaged. */
export function inlineText({ text, packed }: Pick<EventRow, 'text' | 'packed'>): string | undefined {
  if (packed === null) return text;
  const unpacked = unpackText(packed);
  // Both, so that a change of either column is one of the text.
  return unpacked === undefined ? undefined : text + unpacked;
}

/** Returns the long strings of an event that are still stored, in order of position. */
export function longStringsOf(statements: Statements, { key, seq }: EventKey): readonly LongString[] {
  return statements.strings.all(key, seq) as unknown as readonly LongString[];
}

/** Replaces the text of an event, in a transaction of the caller. */
export function replaceText(statements: Statements, { key, seq }: EventKey, text: string): void {
  const { rest, strings } = splitText(text, inlineLimit);
  statements.deleteStrings.run(key, seq);
  statements.setText.run(packText(rest), strings.length || null, key, seq);
  // The index of facts may contain values of the old text.
  statements.deleteFacts.run(key, seq);
  statements.limitIndexedHead.run(seq, key);
  insertLongStrings(statements, { key, seq }, strings);
}

/** Stores the long strings of an event: each once in the store, under its SHA-256; in a transaction of the caller. */
export function insertLongStrings(
  statements: Statements,
  { key, seq }: { readonly key: number; readonly seq: number },
  strings: readonly LongString[],
): void {
  for (const { at, string } of strings) {
    const sha256 = createHash('sha256').update(string).digest();
    const row = statements.blob.get(sha256, string) ?? statements.insertBlob.get(sha256, string);
    statements.insertString.run(key, seq, at, Number(row?.['key']));
  }
}
