import type { ExecutionStatus } from '@varve/events/projections';
import type { ListQuery, Summary } from '@varve/storage';
import { isAddressable, isConversationId } from '../../reference/info/conversation-id.ts';
import type { Services } from '../services.ts';
import { unlessMissing } from '@varve/storage/kit';
import { type Access, seenOwner, visibleSummary } from '../../access.ts';

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
  readonly access: Access;
}

/** One page of a listing. */
export interface ConversationPage {
  readonly items: readonly Summary[];
  /** Hex id of the first conversation of the next page; null on the last one. */
  readonly nextPageId: string | null;
}

type Listed = Pick<Services, 'store' | 'folds'>;

/** Returns one page of a listing. Conversations whose `meta` has no status are read for a search by status. */
export async function searchConversations(services: Listed, query: ConversationQuery): Promise<ConversationPage> {
  const { pageId, limit, status, access } = query;
  const { store } = services;
  const from =
    pageId !== undefined && isConversationId(pageId)
      ? await unlessMissing(visibleSummary(store, pageId, access))
      : undefined;
  const listing: ListQuery = {
    limit: limit + 1,
    owner: seenOwner(access),
    ...orders[query.order],
    ...(from && { from }),
    ...(status && { statuses: [status, unknownStatus] }),
  };
  const items: Summary[] = [];
  for await (const summary of conversations(services, listing, status)) {
    items.push(summary);
    if (items.length > limit) break;
  }
  return { items: items.slice(0, limit), nextPageId: items[limit]?.id ?? null };
}

/**
 * Returns the number of conversations, of one status or in total. Those whose id no request leads to are counted, too.
 */
export async function countConversations(
  services: Listed,
  { status, access }: Pick<ConversationQuery, 'status' | 'access'>,
): Promise<number> {
  const { store } = services;
  const owner = seenOwner(access);
  if (status === undefined) return store.count({ owner });
  const unknown = conversations(services, { limit: 1000, owner, statuses: [unknownStatus] }, status);
  return (await store.count({ owner, statuses: [status] })) + (await Array.fromAsync(unknown)).length;
}

const orders: Readonly<Record<ConversationOrder, Required<Pick<ListQuery, 'orderBy' | 'direction'>>>> = {
  CREATED_AT: { orderBy: 'createdAt', direction: 'ascending' },
  UPDATED_AT: { orderBy: 'updatedAt', direction: 'ascending' },
  CREATED_AT_DESC: { orderBy: 'createdAt', direction: 'descending' },
  UPDATED_AT_DESC: { orderBy: 'updatedAt', direction: 'descending' },
};

/** Status of a `meta` that has none: the log contains it. */
const unknownStatus = '';

async function* conversations(
  { store, folds }: Listed,
  query: ListQuery,
  status: ExecutionStatus | undefined,
): AsyncGenerator<Summary> {
  let after: string | undefined;
  do {
    const page = await store.list({ ...query, ...(after !== undefined && { after }) });
    for (const summary of page.items) {
      if (!isAddressable(summary.id)) continue;
      if (status === undefined || (await statusOf(summary, folds)) === status) yield summary;
    }
    after = page.next;
  } while (after !== undefined);
}

/** Returns the status in the listing, which changes in the same append as the log, or else the status in the log. */
async function statusOf(summary: Summary, folds: Listed['folds']): Promise<unknown> {
  const { meta } = summary;
  const listed = typeof meta === 'object' && meta !== null && 'status' in meta ? meta['status'] : undefined;
  return typeof listed === 'string' ? listed : (await unlessMissing(folds.of(summary)))?.status.execution;
}
