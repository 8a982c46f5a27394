import { StorageError } from '../error.ts';
import { factsOf } from '../facts-of.ts';
import { type EventRow, toConversation, toEvent } from './rows.ts';
import type { Statements } from './statements.ts';
import { type WhichConversation, wholeText } from './whole-text.ts';

/** Bounds how long one transaction keeps the event loop and other processes waiting. */
const eventsAtOnce = 2000;

/**
 * Looks through events that nobody has looked through for facts, in a transaction of the caller. Gives whether there
 * are more.
 */
export function indexFacts(statements: Statements): boolean {
  let left = eventsAtOnce;
  for (;;) {
    const row = statements.firstWithoutFacts.get();
    if (!row || left <= 0) return row !== undefined;
    const { key, id, head } = toConversation(row);
    const from = Number(row['facts']);
    const to = Math.min(head, from + left);
    const updates = statements.stateUpdates.all(key, from, to).map(toEvent);
    for (const event of updates) index(statements, { key, id }, event);
    statements.setFacts.run(to, key);
    left -= to - from;
  }
}

function index(statements: Statements, { key, id }: WhichConversation, event: EventRow): void {
  const text = readable(statements, { key, id }, event);
  for (const { name, value } of factsOf({ kind: event.kind, text })) {
    statements.insertFact.run(name, value, id, event.seq, key);
  }
}

/** An event that lost a part of its text says nothing: that is for readers to find. */
function readable(statements: Statements, which: WhichConversation, event: EventRow): string {
  try {
    return wholeText(statements, which, event);
  } catch (error) {
    if (error instanceof StorageError) return '';
    throw error;
  }
}
