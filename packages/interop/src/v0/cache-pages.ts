import { integerOf } from '../common/foreign-json.ts';
import type { V0Record } from './record.ts';

/** Number of events of a page of the cache. */
export const pageSize = 25;

/** A full page of the cache. */
export interface CachePage {
  /** Id of its first record: a multiple of {@link pageSize}. */
  readonly start: number;
  readonly records: readonly V0Record[];
}

/** Returns the full pages of records. A page with a gap is left out, because V0 finds events in it by their offset. */
export function pagesOf(records: readonly V0Record[]): readonly CachePage[] {
  const byStart = new Map<number, V0Record[]>();
  for (const record of records) {
    const id = integerOf(record['id']) ?? -1;
    if (id < 0) continue;
    const start = id - (id % pageSize);
    const page = byStart.get(start) ?? [];
    page.push(record);
    byStart.set(start, page);
  }
  const pages = [...byStart].map(([start, page]) => ({ start, records: page }));
  return pages.filter(({ start, records: page }) => isFull(start, page));
}

function isFull(start: number, page: readonly V0Record[]): boolean {
  return page.length === pageSize && page.every(({ id }, offset) => id === start + offset);
}
