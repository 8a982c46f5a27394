import { joinText } from '../kit/long-strings.ts';
import { type EventKey, inlineText, longStringsOf } from './events.ts';
import { type Read, readRows } from './read-rows.ts';
import { type EventRow, type Statements, toEvent } from './statements.ts';
import { sealText, statementOf } from '../kit/rows.ts';

// Quarantine keeps a copy of events that a cut removed from a log, and of the statements about them.

/** Events to copy to quarantine. */
export interface QuarantinedEvents {
  readonly key: number;
  /** Seq of the first one. Rows with a negative one are part of no log, and are copied too. */
  readonly from: number;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Copies the events from `from` on to quarantine, even damaged ones; in a transaction of the caller. */
export function quarantineEvents(statements: Statements, { key, from, at }: QuarantinedEvents): void {
  const strays = statements.sealedEvents.all(key, Number.MIN_SAFE_INTEGER, 0);
  const rows = statements.sealedEvents.iterate(key, from, Number.MAX_SAFE_INTEGER);
  for (const row of [strays, rows].values().flatMap((each) => each)) {
    const event = toEvent(row);
    const { seq, id, kind, parent_id } = event;
    const text = remainingText(statements, { key, seq }, event);
    const seal = sealText(event.seal) ?? '';
    statements.insertQuarantined.run(key, at, JSON.stringify({ seq, id, kind, parent_id, ...text, seal }));
  }
}

/** Yields the texts in quarantine, each read by itself. */
export async function* readQuarantine(statements: Statements, key: number, read: Read): AsyncGenerator<string> {
  const next = (after: number) => statements.quarantined.get(key, after);
  for await (const { json } of readRows(next, read)) yield String(json);
}

/** Moves the statements that cannot be read to quarantine, in a transaction of the caller; returns their number. */
export function quarantineMalformed(statements: Statements, key: number, at: number): number {
  const rows = statements.allStatements.all(key);
  const malformed = rows.filter((row) => !statementOf(row));
  for (const { number, seq, json } of malformed) {
    statements.insertQuarantined.run(key, at, JSON.stringify({ seq, statement: json }));
    statements.deleteStatement.run(number ?? null);
  }
  return malformed.length;
}

/** Masks each text in quarantine, in a transaction of the caller; returns the number of changed texts. */
export function maskQuarantined(statements: Statements, key: number, mask: (text: string) => string): number {
  let changed = 0;
  for (
    let row = statements.quarantined.get(key, 0);
    row;
    row = statements.quarantined.get(key, Number(row['number']))
  ) {
    const text = String(row['json']);
    const after = mask(text);
    if (after === text) continue;
    statements.setQuarantined.run(after, Number(row['number']));
    changed += 1;
  }
  return changed;
}

/** Returns the text, or, if it is damaged or long strings are lost, the parts that remain. */
function remainingText(statements: Statements, event: EventKey, row: EventRow): object {
  const strings = longStringsOf(statements, event);
  const rest = inlineText(row);
  if (rest === undefined) return { packed: Buffer.from(row.packed ?? []).toString('base64'), strings };
  return strings.length === (row.blobs ?? 0) ? { text: joinText({ rest, strings }) } : { rest, strings };
}
