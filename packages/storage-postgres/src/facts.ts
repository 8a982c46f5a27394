import type { Fact, FactQuery, Page } from '@varve/storage';
import { isStorable, parseFactQuery, toFactPage } from '@varve/storage/kit';
import type { Connection } from './connection.ts';

/** Finds facts, which are stored with their events. @throws {StorageError} `invalid`, `closed`, `io`. */
export async function findFacts(connection: Connection, query: FactQuery): Promise<Page<Fact>> {
  const { sql } = connection;
  const { name, value, limit, after } = parseFactQuery(query);
  const { value: from, conversation, seq } = after ?? { value: '', conversation: '', seq: -1 };
  const find = async () => {
    if (![name, value ?? '', from].every(isStorable)) return [];
    if (value === undefined) return connection.read(sql.facts, [name, from, conversation, seq, limit + 1]);
    // After a greater value nothing of this one remains; after a smaller one nothing of it was listed yet.
    const order = Buffer.compare(Buffer.from(from), Buffer.from(value));
    if (order > 0) return [];
    return connection.read(sql.factsOfValue, [
      name,
      value,
      ...(order === 0 ? [conversation, seq] : ['', -1]),
      limit + 1,
    ]);
  };
  const facts = (await find()).map((row) => ({ name, ...(row as unknown as Omit<Fact, 'name'>) }));
  return toFactPage(facts, limit);
}
