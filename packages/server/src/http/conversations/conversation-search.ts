import { executionStatuses, type ExecutionStatus } from '@varve/events/projections';
import type { Summary } from '@varve/storage';
import { isAddressable } from '../../hosting/info/conversation-id.ts';
import type { Services } from '../services.ts';
import { unlessMissing } from '../../error.ts';

/** Orders of a listing of conversations. @see agent-server 1.43.1 OpenAPI, ConversationSortOrder */
export const conversationOrders = ['CREATED_AT', 'UPDATED_AT', 'CREATED_AT_DESC', 'UPDATED_AT_DESC'] as const;
export type ConversationOrder = (typeof conversationOrders)[number];

/** Parameters of a search for conversations. */
export interface ConversationQuery {
  /** Hex id of the first conversation of the page; an unknown id means the first page. */
  readonly pageId?: string | undefined;
  readonly limit: number;
  readonly order: ConversationOrder;
  readonly status?: ExecutionStatus | undefined;
}

/** One page of a listing. */
export interface ConversationPage {
  readonly items: readonly Summary[];
  /** Hex id of the first conversation of the next page; null on the last one. */
  readonly nextPageId: string | null;
}

type Listed = Pick<Services, 'store' | 'folds'>;

/** Largest page of a store. */
const storePage = 1000;

/**
 * Returns one page of a listing. The first page by last update reads only what it returns; other orders read every
 * summary, because stores list in that one order.
 */
export async function searchConversations(services: Listed, query: ConversationQuery): Promise<ConversationPage> {
  const { order, limit, status } = query;
  const isStoreOrder = order === 'UPDATED_AT_DESC';
  const summaries = conversations(services, status, isStoreOrder ? limit + 1 : storePage);
  return pageOf(isStoreOrder ? summaries : (await Array.fromAsync(summaries)).toSorted(comparison(order)), query);
}

/** Returns the number of conversations, of one status or in total. */
export async function countConversations(services: Listed, status: ExecutionStatus | undefined): Promise<number> {
  let count = 0;
  for await (const _ of conversations(services, status, storePage)) count += 1;
  return count;
}

async function* conversations(
  services: Listed,
  status: ExecutionStatus | undefined,
  firstPage: number,
): AsyncGenerator<Summary> {
  let after: string | undefined;
  do {
    const page = await services.store.list(after === undefined ? { limit: firstPage } : { limit: storePage, after });
    for (const summary of page.items) {
      if (!isAddressable(summary.id)) continue;
      if (status === undefined || (await statusOf(summary, services)) === status) yield summary;
    }
    after = page.next;
  } while (after !== undefined);
}

/** Returns the status in the listing, which changes in the same append as the log, or else the status in the log. */
async function statusOf(summary: Summary, { folds }: Listed): Promise<ExecutionStatus | undefined> {
  const { meta } = summary;
  const listed = typeof meta === 'object' && meta !== null && 'status' in meta ? meta['status'] : undefined;
  const known = executionStatuses.find((name) => name === listed);
  return known ?? (await unlessMissing(folds.of(summary)))?.status.execution;
}

function comparison(order: ConversationOrder): (summary: Summary, other: Summary) => number {
  const field = order.startsWith('CREATED') ? 'createdAt' : 'updatedAt';
  const direction = order.endsWith('_DESC') ? -1 : 1;
  return (summary, other) => direction * (summary[field] - other[field] || (summary.id < other.id ? -1 : 1));
}

async function pageOf(
  summaries: AsyncIterable<Summary> | Iterable<Summary>,
  { pageId, limit }: ConversationQuery,
): Promise<ConversationPage> {
  const first: Summary[] = [];
  let wanted: Summary[] | undefined = pageId === undefined ? first : undefined;
  for await (const summary of summaries) {
    if (summary.id === pageId) wanted = [];
    if (first.length <= limit) first.push(summary);
    if (wanted !== first) wanted?.push(summary);
    if (wanted && wanted.length > limit) break;
  }
  const items = wanted ?? first;
  return { items: items.slice(0, limit), nextPageId: items[limit]?.id ?? null };
}
