import * as z from 'zod';

/** A list without its unreadable entries, such as null; empty for any other value. */
export function lenientList<Item extends z.ZodType>(item: Item) {
  return z
    .array(item.nullable().catch(() => null))
    .catch(() => [])
    .transform((items) =>
      items.filter((value): value is NonNullable<typeof value> => value !== null && value !== undefined),
    );
}
