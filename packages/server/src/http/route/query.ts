import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';

/**
 * Number of items per page, 1 to 100.
 *
 * @see agent-server 1.43.1, which fails with status 500 above 100
 */
export const pageLimit = lazy(() => z.coerce.number().int().gt(0).lte(100).default(100));

/** Most values of a repeated parameter. */
const most = 100;

/** A query parameter that may be repeated: `ids=a&ids=b`. One value is a list of one. */
export function repeated<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z.preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), z.array(item).max(most));
}
