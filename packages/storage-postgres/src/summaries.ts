import type { ListQuery, Page, Summary } from '@varve/storage';
import { isStorable, parseListQuery, toPage } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import { toSummary } from './rows.ts';

/** Lists conversations. @throws {StorageError} `invalid`, `closed`, `io`. */
export async function listSummaries({ read, sql }: Connection, query: ListQuery): Promise<Page<Summary>> {
  const listing = parseListQuery(query);
  const { from, limit, orderBy, direction, statuses } = listing;
  const column = orderBy === 'createdAt' ? 'created_at' : 'updated_at';
  const [comparison, order] = direction === 'descending' ? ['<=', 'DESC'] : ['>=', 'ASC'];
  const rows = await read(
    sql.selectSummaries(`
      WHERE (${column}, id) ${comparison} ($1, $2) ${statuses ? `AND ${sql.statusIn} = ANY ($4::text[])` : ''}
      ORDER BY ${column} ${order}, id ${order} LIMIT $3`),
    [from.at, from.id, limit + 1, ...(statuses ? [statuses.filter(isStorable)] : [])],
  );
  return toPage(rows.map(toSummary), listing);
}

/** Counts conversations. @throws {StorageError} `closed`, `io`. */
export async function countSummaries(
  { read, sql }: Connection,
  { statuses }: Pick<ListQuery, 'statuses'>,
): Promise<number> {
  const [row] = statuses
    ? await read(sql.countStatuses, [statuses.filter(isStorable)])
    : await read(sql.countConversations, []);
  return Number(row?.['count']);
}
