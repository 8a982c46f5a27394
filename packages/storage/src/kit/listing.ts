import { StorageError } from '../contract/error.ts';
import type { CountQuery, EventStore, ListQuery, Page, Summary } from '../contract/store.ts';

/** A checked query. */
export interface Listing extends Required<Pick<ListQuery, 'limit' | 'orderBy' | 'direction'>> {
  /** Place of the first summary; before all of them if the query names none. */
  readonly from: ListPosition;
  readonly statuses: ListQuery['statuses'];
  readonly owner: ListQuery['owner'];
}

/** Place of a summary in an order. */
export interface ListPosition {
  /** The time that determines the order, in UTC milliseconds. */
  readonly at: number;
  readonly id: string;
}

const cursor = /^(\d{1,15})\.([0-9A-Za-z_-]{1,64})$/;

/**
 * Checks a query.
 *
 * @throws {StorageError} `invalid` for a limit out of range, or a cursor other than a page's `next`.
 */
export function parseListQuery(query: ListQuery): Listing {
  const { limit = 100, orderBy = 'updatedAt', direction = 'descending', statuses, owner } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new StorageError('invalid', `The limit ${limit} is not an integer from 1 to 1000.`);
  }
  const end = direction === 'descending' ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  const start = query.from ? positionOf(query.from, orderBy) : { at: end, id: '' };
  const from = query.after === undefined ? start : parseCursor(query.after);
  return { limit, orderBy, direction, from, statuses, owner };
}

function parseCursor(text: string): ListPosition {
  const [, at, id] = cursor.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new StorageError('invalid', `${JSON.stringify(text)} is not the cursor of a page of conversations.`);
}

type Place = Pick<Summary, 'id' | 'createdAt' | 'updatedAt'>;

function positionOf(place: Place, orderBy: Listing['orderBy']): ListPosition {
  return { at: place[orderBy], id: place.id };
}

/** Makes a page from sorted summaries; one more of them than the limit is the first one of the next page. */
export function toPage(summaries: readonly Summary[], { limit, orderBy }: Listing): Page<Summary> {
  const items = summaries.slice(0, limit);
  const first = summaries[limit];
  if (!first) return { items };
  const { at, id } = positionOf(first, orderBy);
  return { items, next: `${at}.${id}` };
}

/** Returns the items from the start of a listing on, in its order. */
export function sortFrom<Item extends ListPosition>(items: readonly Item[], listing: Listing): readonly Item[] {
  const sign = listing.direction === 'descending' ? -1 : 1;
  const compare = (a: ListPosition, b: ListPosition): number => sign * (a.at - b.at || compareIds(a.id, b.id));
  return items.filter((item) => compare(item, listing.from) >= 0).toSorted(compare);
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns true if a query selects a conversation by its owner and the status in its `meta`. */
export function isSelected({ meta, owner: its = '' }: OwnedMeta, { statuses, owner = its }: CountQuery): boolean {
  if (owner !== its) return false;
  if (!statuses) return true;
  const status = typeof meta === 'object' && meta !== null && 'status' in meta ? meta['status'] : undefined;
  return statuses.includes(typeof status === 'string' ? status : '');
}

/** Fields of a summary by which a query selects it. */
export type OwnedMeta = Pick<Summary, 'meta' | 'owner'>;

/** `EventStore.list` and `EventStore.count` of a store that has all conversations at hand. */
export interface LoadedListing {
  /** @throws {StorageError} `invalid` as {@link parseListQuery}. */
  list(query: ListQuery): Page<Summary>;
  count(query: CountQuery): number;
}

/** Lists conversations from their places; only those that may be on a page are summarised. */
export function listingOf<Item extends Place>(all: readonly Item[], summaryOf: (item: Item) => Summary): LoadedListing {
  return {
    list(query) {
      const listing = parseListQuery(query);
      const summaries: Summary[] = [];
      const places = all.map((item) => ({ ...positionOf(item, listing.orderBy), item }));
      for (const { item } of sortFrom(places, listing)) {
        const summary = summaryOf(item);
        if (isSelected(summary, listing)) summaries.push(summary);
        if (summaries.length > listing.limit) break;
      }
      return toPage(summaries, listing);
    },
    count: (query) => all.filter((item) => isSelected(summaryOf(item), query)).length,
  };
}

/**
 * Returns the summary of every conversation of a store, once, in an order that updates do not change. Conversations
 * created during the call may be missing.
 */
export async function allSummaries(store: Pick<EventStore, 'list'>): Promise<readonly Summary[]> {
  const byId = new Map<string, Summary>();
  for (let after: string | undefined; ;) {
    const page = await store.list({ limit: 1000, orderBy: 'createdAt', ...(after !== undefined && { after }) });
    for (const summary of page.items) byId.set(summary.id, summary);
    if (page.next === undefined) return [...byId.values()];
    after = page.next;
  }
}
