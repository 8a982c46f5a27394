import { joinText } from './join-text.ts';
import { type EventRow, toEvent } from './rows.ts';
import { sealText } from './seal-bytes.ts';
import type { TakenOut } from './split-text.ts';
import type { Statements } from './statements.ts';

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
    statements.quarantine.run(key, at, JSON.stringify({ seq, id, kind, parent_id, ...text, seal }));
  }
}

/** The text, or what is left of it. */
function textOf(statements: Statements, key: number, { seq, text: rest, blobs }: EventRow): object {
  const strings = statements.strings.all(key, seq) as unknown as readonly TakenOut[];
  return strings.length === (blobs ?? 0) ? { text: joinText({ rest, strings }) } : { rest, strings };
}
