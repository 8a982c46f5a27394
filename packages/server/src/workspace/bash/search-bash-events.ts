import { parseJson } from '@varve/text';
import { type BashEvent, parseName } from './bash-event.ts';
import type { BashEventStore } from './bash-event-store.ts';

/** Orders of a search. @see agent-server 1.43.1 OpenAPI, BashEventSortOrder */
export const bashEventOrders = ['TIMESTAMP', 'TIMESTAMP_DESC'] as const;

/** Conditions and page of a search. */
export interface BashQuery {
  readonly kind?: string | undefined;
  /** Only outputs of this command. */
  readonly commandId?: string | undefined;
  /** UTC microseconds as 20 digits. */
  readonly from?: string | undefined;
  /** UTC microseconds as 20 digits. */
  readonly before?: string | undefined;
  /** Omits outputs up to this number from the page. */
  readonly orderAfter?: number | undefined;
  readonly order: (typeof bashEventOrders)[number];
  /** Name of the first event of the page; an unknown name means the first page. */
  readonly pageId?: string | undefined;
  readonly limit: number;
}

/** Page of a search. */
export interface BashPage {
  readonly items: readonly BashEvent[];
  readonly nextPageId: string | null;
}

/** Searches by names, and reads the events of the page. Files that are no events are omitted. */
export async function searchBashEvents(store: BashEventStore, query: BashQuery): Promise<BashPage> {
  const names = (await store.names()).filter((name) => matches(name, query));
  if (query.order === 'TIMESTAMP_DESC') names.reverse();
  const start = Math.max(0, query.pageId === undefined ? 0 : names.indexOf(query.pageId));
  const end = start + query.limit;
  const events = await Promise.all(names.slice(start, end).map((name) => readEvent(store, name)));
  const { orderAfter = -Infinity } = query;
  const items = events.filter((event) => event !== undefined && (!('order' in event) || event.order > orderAfter));
  return { items: items.filter((event) => event !== undefined), nextPageId: names[end] ?? null };
}

function matches(name: string, { kind, commandId, from, before }: BashQuery): boolean {
  const parsed = parseName(name);
  return (
    parsed !== undefined &&
    (kind === undefined || parsed.kind === kind) &&
    (commandId === undefined || parsed.commandId === commandId) &&
    (from === undefined || parsed.time >= from) &&
    (before === undefined || parsed.time < before)
  );
}

/** Returns a stored event; undefined if it was removed or is damaged. */
export async function readEvent(store: BashEventStore, name: string): Promise<BashEvent | undefined> {
  const value = parseJson(await store.read(name));
  return isEvent(value) && parseName(name)?.id === value.id ? value : undefined;
}

function isEvent(value: unknown): value is BashEvent {
  return typeof value === 'object' && value !== null && 'id' in value && 'kind' in value && 'timestamp' in value;
}
