import type { PlannedEvent } from '../kit/plan-append.ts';
import { insertStrings } from './insert-strings.ts';
import { longestInline } from './longest-inline.ts';
import { sealBytes } from './seal-bytes.ts';
import { splitText } from './split-text.ts';
import type { Statements } from './statements.ts';

/** Stores an event with its seal, its long strings apart; in a transaction of the caller. */
export function insertEvent(
  statements: Statements,
  key: number,
  { seq, id, kind, parentId, text, seal }: PlannedEvent & { readonly seal: string },
): void {
  const { rest, strings } = splitText(text, longestInline);
  statements.insertEvent.run(key, seq, id, kind, parentId ?? null, rest, strings.length || null, sealBytes(seal));
  insertStrings(statements, { key, seq }, strings);
}
