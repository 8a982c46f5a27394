import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { NewEvent } from '../contract/log.ts';
import type { EventStore, Page } from '../contract/store.ts';
import { isId } from './checks.ts';
import { parseJson } from './json.ts';
import { allSummaries, parseQuery } from './listing.ts';

/** Longer names and values are read in their event, not looked for. */
const longest = 256;

/**
 * What an event says that can be looked for: the texts in a state update whose key begins with `varve.`, itself, its
 * members or the items of a list; each once. What is deeper, longer than 256 UTF-16 units, as a name or a value, or no
 * text is left out.
 */
export function factsOf({ kind, text }: Pick<NewEvent, 'kind' | 'text'>): readonly Pick<Fact, 'name' | 'value'>[] {
  if (kind !== 'ConversationStateUpdateEvent' || !text.includes('varve.')) return [];
  const update = parseJson(text);
  if (typeof update !== 'object' || update === null) return [];
  const { key, value } = update as Readonly<Record<string, unknown>>;
  if (typeof key !== 'string' || !key.startsWith('varve.')) return [];
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  const members = isRecord
    ? Object.entries(value).map(([member, said]) => ({ name: `${key}.${member}`, said }))
    : [{ name: key, said: value }];
  const findable = members.filter(({ name }) => isFindable(name));
  return findable.flatMap(({ name, said }) => [...new Set(textsIn(said))].map((one) => ({ name, value: one })));
}

function textsIn(said: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(said) ? said : [said];
  return items.filter((item) => typeof item === 'string').filter((item) => isFindable(item));
}

/** What no store could keep exactly is in no index of it either. */
function isFindable(text: string): boolean {
  return text.length <= longest && text.isWellFormed() && !text.includes('\0');
}

/** Where a fact stands among those of its name. */
export type FactPosition = Omit<Fact, 'name'>;

/** A checked query. */
export interface FactListing {
  readonly name: string;
  readonly value: string | undefined;
  readonly limit: number;
  readonly after: FactPosition | undefined;
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
export function compareFacts(one: FactPosition, other: FactPosition): number {
  const byValue = Buffer.compare(Buffer.from(one.value), Buffer.from(other.value));
  if (byValue !== 0) return byValue;
  if (one.conversation !== other.conversation) return one.conversation < other.conversation ? -1 : 1;
  return one.seq - other.seq;
}

function placeIn(after: string): FactPosition {
  const place = parseJson(after);
  const [value, conversation, seq]: readonly unknown[] = Array.isArray(place) ? place : [];
  const isPlace = typeof value === 'string' && typeof conversation === 'string' && isId(conversation);
  if (isPlace && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0) return { value, conversation, seq };
  throw new StorageError('invalid', `${JSON.stringify(after)} is not where a page of facts ends.`);
}

/**
 * Finds facts in a store without an index: reads every log. What cannot be read, and what was removed meanwhile, is left
 * out.
 *
 * @throws {StorageError} `invalid` for a query that is none; as `list` and `range`.
 */
export async function scanFacts(store: Pick<EventStore, 'list' | 'read'>, query: FactQuery): Promise<Page<Fact>> {
  const listing = parseFactQuery(query);
  const found: Fact[] = [];
  for (const { id } of await allSummaries(store)) {
    for await (const fact of factsIn(store, id, listing)) found.push(fact);
  }
  return toFactPage(found.toSorted(compareFacts).slice(0, listing.limit + 1), listing.limit);
}

async function* factsIn(
  store: Pick<EventStore, 'read'>,
  id: string,
  { name, value, after }: FactListing,
): AsyncGenerator<Fact> {
  try {
    for await (const event of (await store.read(id)).range(0)) {
      for (const said of factsOf(event)) {
        const fact = { ...said, conversation: id, seq: event.seq };
        const isWanted = fact.name === name && (value === undefined || fact.value === value);
        if (isWanted && (!after || compareFacts(after, fact) < 0)) yield fact;
      }
    }
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'missing' && error.code !== 'corrupt')) throw error;
  }
}
