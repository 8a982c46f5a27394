import { allSummaries } from './all-summaries.ts';
import { StorageError } from '../contract/error.ts';
import { byPlace, type FactListing, parseFactQuery, toFactPage } from './fact-listing.ts';
import type { Fact, FactQuery } from '../contract/facts.ts';
import { factsOf } from './facts-of.ts';
import type { EventStore, Page } from '../contract/store.ts';

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
  return toFactPage(found.toSorted(byPlace).slice(0, listing.limit + 1), listing.limit);
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
        if (isWanted && (!after || byPlace(after, fact) < 0)) yield fact;
      }
    }
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'missing' && error.code !== 'corrupt')) throw error;
  }
}
