import { createHash } from 'node:crypto';
import { StorageError, type Stored } from '@varve/storage';
import { inlineLimit, joinText, type LongString, splitText } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import type { Query, Row } from './session.ts';

/** Id and database key of a conversation. */
export interface ConversationKey {
  readonly id: string;
  readonly key: number;
}

/** An event as the database contains it. */
export interface FoundEvent extends Omit<Stored, 'text'> {
  /** The text without the strings that are stored as blobs. */
  readonly rest: string;
  /** Number of those strings. */
  readonly blobs: number;
  /** Those that are still stored, in order of position. */
  readonly strings: readonly LongString[];
  readonly seal: unknown;
}

/** Limits of a page, which bound its memory: it ends with the event that reaches one of them. */
export const pageEvents = 256;
const pageBytes = 1_000_000;

/** Range of events to read. */
export interface EventRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Reads a page of events with `query`, in order of seq: at least one if there is any. */
export async function findEvents(
  query: Query,
  { sql }: Pick<Connection, 'sql'>,
  { key, from, to }: EventRange & { readonly key: number },
): Promise<readonly FoundEvent[]> {
  return toEvents(await query(sql.events, [key, from, to, pageEvents, pageBytes]));
}

/** Groups the rows of events and of their long strings. */
export function toEvents(rows: readonly Row[]): readonly FoundEvent[] {
  const events: (FoundEvent & { readonly strings: LongString[] })[] = [];
  for (const row of rows) {
    const { seq, at, id, kind, parent_id: parentId, text, blobs, seal } = row as unknown as EventRow;
    if (at === null) {
      events.push({ seq, id, kind, parentId: parentId ?? undefined, rest: text, blobs: blobs ?? 0, strings: [], seal });
    } else {
      events.at(-1)?.strings.push({ at, string: text });
    }
  }
  return events;
}

interface EventRow {
  readonly seq: number;
  /** Position of a long string; null for the event itself. */
  readonly at: number | null;
  readonly id: string;
  readonly kind: string;
  readonly parent_id: string | null;
  readonly text: string;
  readonly blobs: number | null;
  readonly seal: unknown;
}

/** Restores an event with its exact text. @throws {StorageError} `corrupt` if a part of it is lost. */
export function toStored(conversation: string, event: FoundEvent): Stored {
  const { seq, id, kind, parentId, rest, blobs, strings } = event;
  if (strings.length === blobs) return { seq, id, kind, parentId, text: joinText({ rest, strings }) };
  throw new StorageError('corrupt', `A long string in event ${seq} of conversation ${conversation} is lost.`);
}

/** Columns of an event that depend on its text. */
export interface TextColumns {
  readonly text: string;
  /** Size of the whole text in UTF-8. */
  readonly bytes: number;
  readonly blobs: number | null;
}

/** A long string of an event to store. */
export interface StoredString extends LongString {
  readonly seq: number;
  readonly sha256: Buffer;
}

/** Splits the text of an event into its columns and its long strings. */
export function columnsOf({ seq, text }: Pick<Stored, 'seq' | 'text'>): {
  readonly columns: TextColumns;
  readonly strings: readonly StoredString[];
} {
  const { rest, strings } = splitText(text, inlineLimit);
  return {
    columns: { text: rest, bytes: Buffer.byteLength(text), blobs: strings.length || null },
    strings: strings.map((string) => ({ ...string, seq, sha256: createHash('sha256').update(string.string).digest() })),
  };
}
