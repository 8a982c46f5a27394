import type { ListQuery, Page, Summary } from '@varve/storage';
import { isStorable, parseListQuery, toPage } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import { toSummary } from './rows.ts';

/** Lists conversations. @throws {StorageError} `invalid`, `closed`, `io`. */
export async function listSummaries({ read, sql }: Connection, query: ListQuery): Promise<Page<Summary>> {
  const listing = parseListQuery(query);
  const { from, limit, orderBy, direction, statuses } = listing;
  const [columns, place] =
    orderBy === 'createdAt'
      ? [['created_at', 'id'], '$1, $2']
      : [['updated_minute', 'updated_at', 'id'], '$1::bigint / 60000, $1::bigint, $2'];
  const [comparison, order] = direction === 'descending' ? ['<=', 'DESC'] : ['>=', 'ASC'];
  const rows = await read(
    sql.selectSummaries(`
      WHERE (${columns.join(', ')}) ${comparison} (${place}) ${statuses ? `AND ${sql.statusIn} = ANY ($4::text[])` : ''}
      ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT $3`),
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
