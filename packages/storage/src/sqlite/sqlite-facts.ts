import type { Fact, FactQuery } from '../contract/facts.ts';
import type { Page } from '../contract/store.ts';
import { parseFactQuery, toFactPage } from '../kit/facts.ts';
import type { Connection } from './connection.ts';
import { indexFacts } from './index-facts.ts';

/**
 * Finds facts by the index, which is brought up to date first: an append does not wait for it, and the first search in
 * an old store reads all of it once.
 *
 * @throws {StorageError} `invalid`, `closed`, `full`, `io`.
 */
export async function sqliteFacts(connection: Connection, query: FactQuery): Promise<Page<Fact>> {
  const { statements } = connection;
  const { name, value, limit, after } = parseFactQuery(query);
  const isBehind = await connection.read(() => statements.firstWithoutFacts.get(0) !== undefined);
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
