import { StorageError } from '../contract/error.ts';
import { factsOf } from '../kit/facts.ts';
import { type EventRow, toConversation, toEvent } from './rows.ts';
import type { Statements } from './statements.ts';
import { type WhichConversation, wholeText } from './whole-text.ts';

/** Bounds how long one transaction keeps the event loop and other processes waiting. */
const eventsAtOnce = 2000;

/**
 * Looks through events that nobody has looked through for facts, of the conversations from this key on, in a
 * transaction of the caller. Gives the key to go on from when there are more.
 */
export function indexFacts(statements: Statements, from: number): number | undefined {
  let left = eventsAtOnce;
  let row = statements.firstWithoutFacts.get(from);
  while (row && left > 0) {
    const { key, id, head } = toConversation(row);
    const start = Number(row['facts']);
    const end = Math.min(head, start + left);
    const updates = statements.stateUpdates.all(key, start, end).map(toEvent);
    for (const event of updates) index(statements, { key, id }, event);
    statements.setFacts.run(end, key);
    left -= end - start;
    row = statements.firstWithoutFacts.get(key);
  }
  return row && toConversation(row).key;
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
