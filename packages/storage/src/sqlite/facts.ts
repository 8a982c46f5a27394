import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { Page } from '../contract/store.ts';
import { factsOf, parseFactQuery, toFactPage } from '../kit/facts.ts';
import type { Connection } from './connection.ts';
import { type ConversationKey, fullText } from './events.ts';
import { type EventRow, type Statements, toConversation, toEvent } from './statements.ts';

/** Limits how long one indexing transaction blocks the event loop and other processes. */
const eventsPerTransaction = 2000;

/**
 * Finds facts with the index, after updating it: appends do not wait for indexing, and the first search in an old store
 * reads all of it once.
 *
 * @throws {StorageError} `invalid`, `closed`, `full`, `io`.
 */
export async function findFacts(connection: Connection, query: FactQuery): Promise<Page<Fact>> {
  const { statements } = connection;
  const { name, value, limit, after } = parseFactQuery(query);
  await updateIndex(connection);
  const { value: from, conversation, seq } = after ?? { value: '', conversation: '', seq: -1 };
  const rows = await connection.read(() => {
    if (value === undefined) return statements.facts.all(name, from, conversation, seq, limit + 1);
    // After a greater value nothing of this one remains; after a smaller one nothing of it was listed yet.
    const order = Buffer.compare(Buffer.from(from), Buffer.from(value));
    if (order > 0) return [];
    const place = order === 0 ? ([conversation, seq] as const) : (['', -1] as const);
    return statements.factsOfValue.all(name, value, ...place, limit + 1);
  });
  const facts = rows.map((row) => ({ name, ...(row as unknown as Omit<Fact, 'name'>) }));
  return toFactPage(facts, limit);
}

async function updateIndex(connection: Connection): Promise<void> {
  const { statements } = connection;
  const isComplete = await connection.read(() => statements.firstUnindexed.get(0) === undefined);
  for (let key = isComplete ? undefined : 0; key !== undefined;) {
    const from = key;
    key = await connection.write(() => indexFacts(statements, from));
  }
}

/**
 * Indexes events that are not indexed yet, of the conversations from this key on, in a transaction of the caller.
 * Returns the key to continue from if there are more.
 */
export function indexFacts(statements: Statements, from: number): number | undefined {
  let left = eventsPerTransaction;
  let row = statements.firstUnindexed.get(from);
  while (row && left > 0) {
    const { key, id, head } = toConversation(row);
    const start = Number(row['facts']);
    const end = Math.min(head, start + left);
    const updates = statements.stateUpdates.all(key, start, end).map(toEvent);
    for (const event of updates) indexEvent(statements, { key, id }, event);
    statements.setIndexedHead.run(end, key);
    left -= end - start;
    row = statements.firstUnindexed.get(key);
  }
  return row && toConversation(row).key;
}

function indexEvent(statements: Statements, { key, id }: ConversationKey, event: EventRow): void {
  const text = textForIndex(statements, { key, id }, event);
  for (const { name, value } of factsOf({ kind: event.kind, text })) {
    statements.insertFact.run(name, value, id, event.seq, key);
  }
}

/** Returns an empty text for a damaged event: readers report the damage. */
function textForIndex(statements: Statements, conversation: ConversationKey, event: EventRow): string {
  try {
    return fullText(statements, conversation, event);
  } catch (error) {
    if (error instanceof StorageError) return '';
    throw error;
  }
}
