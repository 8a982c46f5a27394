import { StorageError } from '../contract/error.ts';
import type { EventStore, ListQuery, Page, Summary } from '../contract/store.ts';

/** A checked query: list at most `limit` summaries that sort after `after`. */
export interface Listing {
  readonly limit: number;
  readonly after: ListPosition | undefined;
}

/** Sort key of a summary in a listing. */
export type ListPosition = Pick<Summary, 'updatedAt' | 'id'>;

const cursor = /^(\d{1,15})\.([0-9A-Za-z_-]{1,64})$/;

/**
 * Checks a query.
 *
 * @throws {StorageError} `invalid` for a limit out of range, or a cursor other than a page's `next`.
 */
export function parseListQuery({ limit = 100, after }: ListQuery): Listing {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new StorageError('invalid', `The limit ${limit} is not an integer from 1 to 1000.`);
  }
  if (after === undefined) return { limit, after };
  const [, updatedAt, id] = cursor.exec(after) ?? [];
  if (updatedAt === undefined || id === undefined) {
    throw new StorageError('invalid', `${JSON.stringify(after)} is not the cursor of a page of conversations.`);
  }
  return { limit, after: { updatedAt: Number(updatedAt), id } };
}

/** Makes a page of `limit` from sorted summaries; one more summary than `limit` means that there is a next page. */
export function toPage(summaries: readonly Summary[], limit: number): Page<Summary> {
  const items = summaries.slice(0, limit);
  const last = items.at(-1);
  return summaries.length > limit && last ? { items, next: `${last.updatedAt}.${last.id}` } : { items };
}

/** Compares summaries in the order of a listing: last updated first, ids descending among equals. */
export function compareSummaries(a: ListPosition, b: ListPosition): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

/**
 * Sorts and pages all conversations of a store that has their positions at hand; only those of the page are summarised.
 *
 * @throws {StorageError} `invalid` as {@link parseListQuery}.
 */
export function listPage<Item extends ListPosition>(
  all: readonly Item[],
  query: ListQuery,
  summaryOf: (item: Item) => Summary,
): Page<Summary> {
  const { limit, after } = parseListQuery(query);
  const rest = after ? all.filter((item) => compareSummaries(after, item) < 0) : all;
  return toPage(
    rest
      .toSorted(compareSummaries)
      .slice(0, limit + 1)
      .map(summaryOf),
    limit,
  );
}

/** Returns the summary of every conversation of a store, once. Conversations created during the call may be missing. */
export async function allSummaries(store: Pick<EventStore, 'list'>): Promise<readonly Summary[]> {
  const byId = new Map<string, Summary>();
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const summary of page.items) byId.set(summary.id, summary);
    if (page.next === undefined) return [...byId.values()];
    after = page.next;
  }
}
