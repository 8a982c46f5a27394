import type { ListQuery, Page, Summary } from '@varve/storage';
import { type CountQuery, isStorable, parseListQuery, toPage, toSummary } from '@varve/storage/kit';
import type { Connection } from './connection.ts';

/** Lists conversations. @throws {StorageError} `invalid`, `closed`, `io`. */
export async function listSummaries({ read, sql }: Connection, query: ListQuery): Promise<Page<Summary>> {
  const listing = parseListQuery(query);
  const { from, limit, orderBy, direction } = listing;
  const [columns, place] =
    orderBy === 'createdAt'
      ? [['created_at', 'id'], '$1, $2']
      : [['updated_minute', 'updated_at', 'id'], '$1::bigint / 60000, $1::bigint, $2'];
  const [comparison, order] = direction === 'descending' ? ['<=', 'DESC'] : ['>=', 'ASC'];
  const { conditions, values } = selection(sql, listing, [from.at, from.id, limit + 1]);
  const rows = await read(
    sql.selectSummaries(`
      WHERE (${columns.join(', ')}) ${comparison} (${place}) ${conditions.map((each) => `AND ${each}`).join(' ')}
      ORDER BY ${columns.map((column) => `${column} ${order}`).join(', ')} LIMIT $3`),
    values,
  );
  return toPage(rows.map(toSummary), listing);
}

/** Counts conversations. @throws {StorageError} `closed`, `io`. */
export async function countSummaries({ read, sql }: Connection, query: CountQuery): Promise<number> {
  const { conditions, values } = selection(sql, query, []);
  const [row] = await read(sql.countConversations(conditions, query), values);
  return Number(row?.['count']);
}

/** Returns the conditions of a query, and the values of a statement that contains them after others. */
function selection({ statusIn }: Connection['sql'], { statuses, owner }: CountQuery, before: readonly unknown[]) {
  const parts = [
    ...(statuses ? [[`${statusIn} = ANY`, '::text[]', statuses.filter(isStorable)] as const] : []),
    ...(owner === undefined ? [] : [['owner =', '', owner] as const]),
  ];
  return {
    conditions: parts.map(([start, type], at) => `${start} ($${before.length + at + 1}${type})`),
    values: [...before, ...parts.map(([, , value]) => value)],
  };
}
