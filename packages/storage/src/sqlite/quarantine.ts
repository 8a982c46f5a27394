import { joinText, type LongString } from './long-strings.ts';
import { sealText } from './statements.ts';
import { type EventRow, type Statements, toEvent } from './statements.ts';

/** Which events go into quarantine, and when that is. */
export interface Quarantined {
  readonly key: number;
  readonly from: number;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Copies the events from `from` on into quarantine, whatever their state; in a transaction of the caller. */
export function quarantineEvents(statements: Statements, { key, from, at }: Quarantined): void {
  for (const row of statements.events.iterate(key, from, Number.MAX_SAFE_INTEGER, -1)) {
    const { seq, id, kind, parent_id, ...event } = toEvent(row);
    const { seal, ...text } = { seal: sealText(event.seal) ?? '', ...textOf(statements, key, toEvent(row)) };
    statements.insertQuarantined.run(key, at, JSON.stringify({ seq, id, kind, parent_id, ...text, seal }));
  }
}

/** The text, or what is left of it. */
function textOf(statements: Statements, key: number, { seq, text: rest, blobs }: EventRow): object {
  const strings = statements.strings.all(key, seq) as unknown as readonly LongString[];
  return strings.length === (blobs ?? 0) ? { text: joinText({ rest, strings }) } : { rest, strings };
}

/** Masks each quarantined text of a conversation, in a transaction of the caller; gives how many changed. */
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
