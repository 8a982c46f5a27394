import { StorageError } from '../contract/error.ts';
import type { EventStore, ListQuery, Page, Summary } from '../contract/store.ts';

/** A checked query: list what sorts after `after`, at most `limit`. */
export interface Listing {
  readonly limit: number;
  readonly after: ListPosition | undefined;
}

/** Where a summary stands in a listing. */
export type ListPosition = Pick<Summary, 'updatedAt' | 'id'>;

const cursor = /^(\d{1,15})\.([0-9A-Za-z_-]{1,64})$/;

/** Reads a query. @throws {StorageError} `invalid` for a limit out of range or a text that is no page's `next`. */
export function parseQuery({ limit = 100, after }: ListQuery): Listing {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new StorageError('invalid', `The limit ${limit} is not an integer from 1 to 1000.`);
  }
  if (after === undefined) return { limit, after };
  const [, updatedAt, id] = cursor.exec(after) ?? [];
  if (updatedAt === undefined || id === undefined) {
    throw new StorageError('invalid', `${JSON.stringify(after)} is not where a page of conversations ends.`);
  }
  return { limit, after: { updatedAt: Number(updatedAt), id } };
}

/** Makes a page of `limit` from summaries in order, of which there is one more when there is a next page. */
export function toPage(found: readonly Summary[], limit: number): Page<Summary> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last ? { items, next: `${last.updatedAt}.${last.id}` } : { items };
}

/** Sorts places as listings show them: last updated first, ids descending among equals. */
export function compareSummaries(one: ListPosition, other: ListPosition): number {
  if (one.updatedAt !== other.updatedAt) return other.updatedAt - one.updatedAt;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** Every conversation of a store, once. Those made meanwhile may be missed. */
export async function allSummaries(store: Pick<EventStore, 'list'>): Promise<readonly Summary[]> {
  const found = new Map<string, Summary>();
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const summary of page.items) found.set(summary.id, summary);
    if (page.next === undefined) return [...found.values()];
    after = page.next;
  }
}
