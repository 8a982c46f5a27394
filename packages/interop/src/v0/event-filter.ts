import { fieldsOf, integerOf } from '../common/foreign-json.ts';
import { typeOf, type V0Record } from './tool-calls.ts';

/** Conditions on a record; all of them must hold. */
export interface RecordFilter {
  /** Leaves out records that are marked as hidden. */
  readonly excludeHidden?: boolean;
  /** Text that occurs in the JSON of the record, in upper or lower case. */
  readonly query?: string;
  /** Types such as `action:run`, `observation:run`, or `run` for both. */
  readonly includeTypes?: readonly string[];
  readonly excludeTypes?: readonly string[];
  readonly source?: string;
  /** First and last time, both inclusive, compared as text. Records without a time are accepted. */
  readonly startDate?: string;
  readonly endDate?: string;
}

/** Part of a log. */
export interface RecordQuery {
  /** First id; default 0. */
  readonly startId?: number;
  /** Last id, inclusive; default the newest. */
  readonly endId?: number;
  /** Newest first. */
  readonly reverse?: boolean;
  /** Most records; 0 means no limit. */
  readonly limit?: number;
  readonly filter?: RecordFilter;
}

/** Returns true if a record fulfils all conditions. @see OpenHands events/event_filter.py */
export function matchesFilter(record: V0Record, filter: RecordFilter): boolean {
  const { excludeHidden, query, includeTypes, excludeTypes, source, startDate, endDate } = filter;
  const { timestamp } = record;
  const isAfter = (date: string | undefined): boolean =>
    date === undefined || typeof timestamp !== 'string' || timestamp >= date;
  const isBefore = endDate === undefined || typeof timestamp !== 'string' || timestamp <= endDate;
  return (
    !(excludeHidden === true && isHidden(record)) &&
    (includeTypes === undefined || isOfType(record, includeTypes)) &&
    !(excludeTypes !== undefined && isOfType(record, excludeTypes)) &&
    (source === undefined || record['source'] === source) &&
    isAfter(startDate) &&
    isBefore &&
    (query === undefined || JSON.stringify(record).toLowerCase().includes(query.toLowerCase()))
  );
}

/** Returns true for a record that the user interface and the agent of V0 do not see. */
export function isHidden({ args, extras }: V0Record): boolean {
  return fieldsOf(args)?.['hidden'] === true || fieldsOf(extras)?.['hidden'] === true;
}

/** Returns the records that match a query, in the order of their ids or reversed. */
export function searchRecords(records: readonly V0Record[], query: RecordQuery = {}): readonly V0Record[] {
  const { startId = 0, endId = Infinity, reverse = false, limit = 0, filter = {} } = query;
  const matches = records.filter((record, index) => {
    const id = integerOf(record['id']) ?? index;
    return id >= startId && id <= endId && matchesFilter(record, filter);
  });
  const ordered = reverse ? matches.toReversed() : matches;
  return limit > 0 ? ordered.slice(0, limit) : ordered;
}

/** Page of the event route of a V0 server. */
export interface RecordPage {
  readonly events: readonly V0Record[];
  readonly has_more: boolean;
}

/** Most records of a page. */
const maxPage = 100;

/** Returns a page as the event route of a V0 server does; at most 100 records. */
export function recordPage(records: readonly V0Record[], query: RecordQuery = {}): RecordPage {
  const { limit = maxPage, ...rest } = query;
  const size = Math.min(Math.max(1, limit), maxPage);
  const matches = searchRecords(records, { ...rest, limit: size + 1 });
  return { events: matches.slice(0, size), has_more: matches.length > size };
}

function isOfType(record: V0Record, types: readonly string[]): boolean {
  const { action, observation } = typeOf(record);
  const names = action === undefined ? [observation, `observation:${observation}`] : [action, `action:${action}`];
  return types.some((type) => names.includes(type));
}
