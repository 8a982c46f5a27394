import type { LogReader, Stored } from '@varve/storage';
import { eventFilter, type EventFilter } from '../../reference/info/event-filter.ts';
import type { ConversationSources } from '../../reference/info/conversation-folds.ts';
import { newestFirst } from '../../reference/info/newest-first.ts';

/** Orders of an event search: the order of the log, or its reverse. @see agent-server 1.43.1, EventSortOrder */
export const eventOrders = ['TIMESTAMP', 'TIMESTAMP_DESC'] as const;

/** Parameters of an event search. */
export interface EventQuery extends EventFilter {
  /** Id of the first event of the page; an unknown id means the first page. */
  readonly pageId?: string | undefined;
  /** Only events after this seq; the page id takes precedence if it is known. */
  readonly afterSeq?: number | undefined;
  readonly limit: number;
  readonly order: (typeof eventOrders)[number];
}

/** One page of a search. */
export interface EventPage {
  readonly items: readonly Stored[];
  /** Id of the first event of the next page; null on the last one. */
  readonly nextPageId: string | null;
  /** Greatest seq that was read for the page; in the order of the log, no event up to it follows on later pages. */
  readonly lastSeq: number;
}

/** Reads events from the start of the page until it is full, including events that do not match. */
export async function searchEvents(log: LogReader, query: EventQuery): Promise<EventPage> {
  const isWanted = eventFilter(query);
  const items: Stored[] = [];
  let lastSeq = query.afterSeq ?? -1;
  for await (const stored of await eventsOf(log, query)) {
    if (isWanted(stored)) {
      if (items.length === query.limit) return { items, nextPageId: stored.id, lastSeq };
      items.push(stored);
    }
    lastSeq = Math.max(lastSeq, stored.seq);
  }
  return { items, nextPageId: null, lastSeq };
}

/** Returns the number of events that match; without a filter that of the cached fold, which reads no event twice. */
export async function countEvents(
  log: LogReader,
  filter: EventFilter,
  { store, folds }: Pick<ConversationSources, 'store' | 'folds'>,
): Promise<number> {
  if (Object.values(filter).every((value) => value === undefined)) {
    return (await folds.of(await store.summary(log.id))).count;
  }
  const isWanted = eventFilter(filter);
  let count = 0;
  for await (const stored of log.range(0)) if (isWanted(stored)) count += 1;
  return count;
}

async function eventsOf(log: LogReader, { pageId, order, afterSeq = -1 }: EventQuery): Promise<AsyncIterable<Stored>> {
  const start = pageId === undefined ? undefined : await log.seqOf(pageId);
  if (order === 'TIMESTAMP') return log.range(start ?? afterSeq + 1);
  return newestFirst(log, start === undefined ? await log.head() : start + 1, afterSeq + 1);
}
