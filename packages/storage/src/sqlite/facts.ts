import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { Page } from '../contract/store.ts';
import { factsOf, parseFactQuery, toFactPage } from '../kit/facts.ts';
import type { Connection } from './connection.ts';
import { type ConversationKey, fullText } from './events.ts';
import { type EventRow, type Statements, toConversation, toEvent } from './statements.ts';

/** Bounds how long one transaction keeps the event loop and other processes waiting. */
const eventsAtOnce = 2000;

/**
 * Looks through events that nobody has looked through for facts, of the conversations from this key on, in a
 * transaction of the caller. Gives the key to go on from when there are more.
 */
export function indexFacts(statements: Statements, from: number): number | undefined {
  let left = eventsAtOnce;
  let row = statements.firstUnindexed.get(from);
  while (row && left > 0) {
    const { key, id, head } = toConversation(row);
    const start = Number(row['facts']);
    const end = Math.min(head, start + left);
    const updates = statements.stateUpdates.all(key, start, end).map(toEvent);
    for (const event of updates) index(statements, { key, id }, event);
    statements.setIndexedHead.run(end, key);
    left -= end - start;
    row = statements.firstUnindexed.get(key);
  }
  return row && toConversation(row).key;
}

function index(statements: Statements, { key, id }: ConversationKey, event: EventRow): void {
  const text = textForIndex(statements, { key, id }, event);
  for (const { name, value } of factsOf({ kind: event.kind, text })) {
    statements.insertFact.run(name, value, id, event.seq, key);
  }
}

/** An event that lost a part of its text says nothing: that is for readers to find. */
function textForIndex(statements: Statements, which: ConversationKey, event: EventRow): string {
  try {
    return fullText(statements, which, event);
  } catch (error) {
    if (error instanceof StorageError) return '';
    throw error;
  }
}

/**
 * Finds facts by the index, which is brought up to date first: an append does not wait for it, and the first search in
 * an old store reads all of it once.
 *
 * @throws {StorageError} `invalid`, `closed`, `full`, `io`.
 */
export async function findFacts(connection: Connection, query: FactQuery): Promise<Page<Fact>> {
  const { statements } = connection;
  const { name, value, limit, after } = parseFactQuery(query);
  const isBehind = await connection.read(() => statements.firstUnindexed.get(0) !== undefined);
  for (let key = isBehind ? 0 : undefined; key !== undefined;) {
    const from = key;
    key = await connection.write(() => indexFacts(statements, from));
  }
  const { value: from, conversation, seq } = after ?? { value: '', conversation: '', seq: -1 };
  const rows = await connection.read(() => {
    if (value === undefined) return statements.facts.all(name, from, conversation, seq, limit + 1);
    // Nothing of this value is left behind a greater one, and nothing was shown before a smaller one.
    const order = Buffer.compare(Buffer.from(from), Buffer.from(value));
    if (order > 0) return [];
    const place = order === 0 ? ([conversation, seq] as const) : (['', -1] as const);
    return statements.factsOfValue.all(name, value, ...place, limit + 1);
  });
  const found = rows.map((row) => ({ name, ...(row as unknown as Omit<Fact, 'name'>) }));
  return toFactPage(found, limit);
}
