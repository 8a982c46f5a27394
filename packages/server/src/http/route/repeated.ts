import { z } from '@hono/zod-openapi';

/** Most values of a repeated parameter. */
const most = 100;

/** A query parameter that may be repeated: `ids=a&ids=b`. One value is a list of one. */
export function repeated<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z.preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), z.array(item).max(most));
}
