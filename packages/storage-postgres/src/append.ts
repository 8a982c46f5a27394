import { factsOf, inlineLimit, type SealedAppend, type SealedNewEvent, sealBytes } from '@varve/storage/kit';
import { appendText } from './append-text.ts';
import { columnsOf, type StoredString } from './events.ts';
import { columnMs } from './heartbeat.ts';

/** An append to a log whose end is known. */
export interface Append extends SealedAppend {
  readonly key: number;
  /** Epoch of the lease. */
  readonly epoch: number;
  /** Number of events before the append. */
  readonly head: number;
  readonly metaText: string | undefined;
}

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Returns true for an append that can share a statement: it has events, none of them long, and no other change. */
export function isSmall({ events, metaText }: Append): boolean {
  const length = events.reduce((sum, { text }) => sum + text.length, 0);
  return events.length > 0 && metaText === undefined && length < inlineLimit;
}

/**
 * Builds one statement that stores an append, or several small ones to different conversations. It returns rows with
 * the keys of those that it stored. It does nothing for the others: their lease was taken over, their head is another,
 * or, among several, another transaction has locked their conversation.
 *
 * All of an append is or is not stored, and an error stores none of the appends.
 */
export function appendStatement(s: string, appends: readonly Append[]): Statement {
  const split = appends.flatMap(({ key, events }) => events.map((event) => ({ key, event, ...columnsOf(event) })));
  const strings = split.flatMap((event) => event.strings);
  const rows = {
    target: appends.map(targetRow),
    meta: appends.flatMap(({ metaText }) => (metaText === undefined ? [] : [[metaText]])),
    blob: blobRows(strings),
    string: strings.map(({ seq, at, sha256 }) => [seq, at, sha256]),
    fact: split.flatMap(({ key, event }) => factsOf(event).map(({ name, value }) => [key, name, value, event.seq])),
    statement: appends.flatMap(({ key, statements }) =>
      statements.map((statement, n) => [n, key, statement.seq, statement.kind, JSON.stringify(statement)]),
    ),
    event: split.map(eventRow),
  };
  const { sql, arrange } = appendText(s, rows);
  return { sql, values: [columnMs, ...arrange(rows)] };
}

/** An event to store, split into columns and long strings. */
interface SplitEvent extends ReturnType<typeof columnsOf> {
  readonly key: number;
  readonly event: SealedNewEvent;
}

function eventRow({ key, event, columns: { text, bytes, blobs } }: SplitEvent): readonly unknown[] {
  const { seq, id, kind, parentId = null, seal } = event;
  return [key, seq, id, kind, parentId, text, bytes, blobs, sealBytes(seal)];
}

function targetRow({ key, epoch, head, events, last }: Append): readonly unknown[] {
  const next = head + events.length;
  return [key, epoch, head, next, next === 0 ? null : sealBytes(last)];
}

/** Returns each string once, in one order, so that two appends do not wait for each other. */
function blobRows(strings: readonly StoredString[]): readonly (readonly unknown[])[] {
  const unique = new Map(strings.map((string) => [string.sha256.toString('hex'), string]));
  const blobs = [...unique].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, blob]) => blob);
  return blobs.map(({ sha256, string }, n) => [n, sha256, string]);
}
