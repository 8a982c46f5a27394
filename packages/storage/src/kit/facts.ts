import { parseJson } from '@varve/text';
import { StorageError } from '../contract/error.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import type { NewEvent } from '../contract/log.ts';
import type { EventStore, Page } from '../contract/store.ts';
import { isId } from './conversation-id.ts';
import { isFileFailure } from './disk-error.ts';
import { asRecord, parseRecord } from './json.ts';
import { allSummaries, parseListQuery } from './listing.ts';

// Facts are the one place where a store looks inside the text of an event. A store with an index extracts them with
// `factsOf` and answers queries from its index; `scanFacts` serves a store without one.

/** Maximum length of names and values, in UTF-16 units. Longer ones are not found by a search. */
const longest = 256;

/**
 * Extracts the facts of an event: the texts in a state update whose key begins with `varve.`, which are its value, the
 * members of its value or the items of a list; each once. Deeper texts, texts or names over 256 UTF-16 units, and
 * values that are not text are left out.
 */
export function factsOf({ kind, text }: Pick<NewEvent, 'kind' | 'text'>): readonly Pick<Fact, 'name' | 'value'>[] {
  if (kind !== 'ConversationStateUpdateEvent' || !text.includes('varve.')) return [];
  const { key, value } = parseRecord(text) ?? {};
  if (typeof key !== 'string' || !key.startsWith('varve.')) return [];
  const record = asRecord(value);
  const members = record
    ? Object.entries(record).map(([member, content]) => ({ name: `${key}.${member}`, content }))
    : [{ name: key, content: value }];
  const named = members.filter(({ name }) => isIndexable(name));
  return named.flatMap(({ name, content }) =>
    [...new Set(textsIn(content))].map((factValue) => ({ name, value: factValue })),
  );
}

function textsIn(content: unknown): readonly string[] {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  return items.filter((item) => typeof item === 'string').filter((item) => isIndexable(item));
}

/** Returns true if every store can keep the text exactly, in a column of its index. */
function isIndexable(text: string): boolean {
  return text.length <= longest && text.isWellFormed() && !text.includes('\0');
}

/** Sort key of a fact among those of its name. */
export type FactPosition = Omit<Fact, 'name'>;

/** A checked query. */
export interface FactListing {
  readonly name: string;
  readonly value: string | undefined;
  readonly limit: number;
  readonly after: FactPosition | undefined;
}

/**
 * Checks a query.
 *
 * @throws {StorageError} `invalid` for a limit out of range, or a cursor other than a page's `next`.
 */
export function parseFactQuery({ name, value, limit, after }: FactQuery): FactListing {
  const checked = parseListQuery({ ...(limit !== undefined && { limit }) });
  return { name, value, limit: checked.limit, after: after === undefined ? undefined : parseCursor(after) };
}

/** Makes a page of `limit` from sorted facts; one more fact than `limit` means that there is a next page. */
export function toFactPage(facts: readonly Fact[], limit: number): Page<Fact> {
  const items = facts.slice(0, limit);
  const last = items.at(-1);
  if (facts.length <= limit || !last) return { items };
  return { items, next: JSON.stringify([last.value, last.conversation, last.seq]) };
}

/** Compares facts of one name: by value as UTF-8, then by conversation, then by seq. */
export function compareFacts(a: FactPosition, b: FactPosition): number {
  const byValue = Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
  if (byValue !== 0) return byValue;
  if (a.conversation !== b.conversation) return a.conversation < b.conversation ? -1 : 1;
  return a.seq - b.seq;
}

function parseCursor(after: string): FactPosition {
  const parsed = parseJson(after);
  const [value, conversation, seq]: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  const isNamed = typeof value === 'string' && typeof conversation === 'string' && isId(conversation);
  if (isNamed && typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0) return { value, conversation, seq };
  throw new StorageError('invalid', `${JSON.stringify(after)} is not the cursor of a page of facts.`);
}

/**
 * Finds facts in a store without an index by reading every log. Logs that cannot be read or are removed during the
 * search are left out.
 *
 * @throws {StorageError} `invalid` for a malformed query; as `list` and `range`.
 */
export async function scanFacts(store: Pick<EventStore, 'list' | 'read'>, query: FactQuery): Promise<Page<Fact>> {
  const listing = parseFactQuery(query);
  const facts: Fact[] = [];
  for (const { id } of await allSummaries(store)) {
    for await (const fact of factsIn(store, id, listing)) facts.push(fact);
  }
  return toFactPage(facts.toSorted(compareFacts).slice(0, listing.limit + 1), listing.limit);
}

async function* factsIn(
  store: Pick<EventStore, 'read'>,
  id: string,
  { name, value, after }: FactListing,
): AsyncGenerator<Fact> {
  try {
    for await (const event of (await store.read(id)).range(0)) {
      for (const stated of factsOf(event)) {
        const fact = { ...stated, conversation: id, seq: event.seq };
        const isWanted = fact.name === name && (value === undefined || fact.value === value);
        if (isWanted && (!after || compareFacts(after, fact) < 0)) yield fact;
      }
    }
  } catch (error) {
    const isUnreadable = error instanceof StorageError && (error.code === 'missing' || error.code === 'corrupt');
    if (!isUnreadable && !isFileFailure(error)) throw error;
  }
}
