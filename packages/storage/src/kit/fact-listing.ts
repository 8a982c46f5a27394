import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import { isId } from './is-id.ts';
import { parseQuery } from './listing.ts';
import type { Page } from '../contract/store.ts';

/** Where a fact stands among those of its name. */
export type FactPlace = Omit<Fact, 'name'>;

/** A checked query. */
export interface FactListing {
  readonly name: string;
  readonly value: string | undefined;
  readonly limit: number;
  readonly after: FactPlace | undefined;
}

/** Reads a query. @throws {StorageError} `invalid` for a limit out of range or a text that is no page's `next`. */
export function parseFactQuery({ name, value, limit, after }: FactQuery): FactListing {
  const checked = parseQuery({ ...(limit !== undefined && { limit }) });
  return { name, value, limit: checked.limit, after: after === undefined ? undefined : placeIn(after) };
}

/** Makes a page of `limit` from facts in order, of which there is one more when there is a next page. */
export function toFactPage(found: readonly Fact[], limit: number): Page<Fact> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  if (found.length <= limit || !last) return { items };
  return { items, next: JSON.stringify([last.value, last.conversation, last.seq]) };
}

/** Sorts facts of one name: by value as UTF-8, then by conversation, then by seq. */
export function byPlace(one: FactPlace, other: FactPlace): number {
  const byValue = Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
  if (byValue !== 0) return byValue;
  if (one.conversation !== other.conversation) return one.conversation < other.conversation ? -1 : 1;
  return one.seq - other.seq;
}

function placeIn(after: string): FactPlace {
  const [value, conversation, seq] = parsed(after);
  const isPlace = typeof value === 'string' && typeof conversation === 'string' && isId(conversation);
  if (isPlace && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0) return { value, conversation, seq };
  throw new StorageError('invalid', `${JSON.stringify(after)} is not where a page of facts ends.`);
}

function parsed(after: string): readonly unknown[] {
  try {
    const place: unknown = JSON.parse(after);
    return Array.isArray(place) ? place : [];
  } catch {
    return [];
  }
}
