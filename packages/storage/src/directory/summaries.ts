import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CountQuery, Page, Summary } from '../contract/store.ts';
import { isId } from '../kit/conversation-id.ts';
import { isFileFailure } from '../kit/disk-error.ts';
import { isSelected, type Listing, type OwnedMeta, sortFrom, toPage } from '../kit/listing.ts';
import { readMeta } from './conversation-meta.ts';
import { type Files, toMs } from './layout/files.ts';
import { readNames } from './layout/list-events.ts';
import { type Paths, pathsOf } from './layout/paths.ts';

/** Summaries that are read in one turn of the event loop: each takes 0.05 ms and more, a page of a thousand 80 ms. */
const readPerTurn = 50;

/**
 * Lists the conversations in a root. Reads one file status of each, and more only for those on the page; by time of
 * creation, and those that do not have the statuses, also their `meta`. One whose files cannot be read, for instance
 * because they belong to another user, is listed without events and `meta`: a use of it reports why. One that changes
 * in the meantime keeps its place, which may be the cursor.
 */
export async function listSummaries(files: Files, root: string, listing: Listing): Promise<Page<Summary>> {
  const found = positionsIn(files, root);
  const places =
    listing.orderBy === 'updatedAt'
      ? found.map(({ id, updatedAt }) => ({ id, at: updatedAt }))
      : await Array.fromAsync(inTurns(found), (place) => ({ id: place.id, at: metaOf(files, root, place).createdAt }));
  const summaries: Summary[] = [];
  for await (const { id, at } of inTurns(sortFrom(places, listing))) {
    const summary = readSummary(files, root, id);
    if (summary && isSelected(summary, listing)) summaries.push({ ...summary, [listing.orderBy]: at });
    if (summaries.length > listing.limit) break;
  }
  return toPage(summaries, listing);
}

/** Counts the conversations in a root; those of an owner or of some statuses by reading the `meta` of each. */
export async function countSummaries(files: Files, root: string, query: CountQuery): Promise<number> {
  const found = positionsIn(files, root);
  if (!query.statuses && query.owner === undefined) return found.length;
  let count = 0;
  for await (const place of inTurns(found)) if (isSelected(metaOf(files, root, place), query)) count += 1;
  return count;
}

async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % readPerTurn === 0) await nextTurn();
    yield item;
  }
}

/** Returns the summary of a conversation, or `undefined` if it is missing. Counts the events without reading them. */
export function readSummary(files: Files, root: string, id: string): Summary | undefined {
  const position = positionOf(files, root, id);
  if (!position) return undefined;
  const { updatedAt, identity } = position;
  const paths = pathsOf(join(root, id));
  const described = metaOf(files, root, position);
  const names = unlessUnreadable(() => readNames({ id, files, paths, warn: () => {} }).names) ?? [];
  // What was read of a conversation that another process removed in between may be a part of it.
  if (positionOf(files, root, id)?.identity !== identity) return undefined;
  return { id, updatedAt, head: names.length, ...described };
}

function metaOf(files: Files, root: string, { id, updatedAt }: FoundPosition): OwnedMeta & Pick<Summary, 'createdAt'> {
  const {
    createdAt = updatedAt,
    owner = '',
    meta,
  } = unlessUnreadable(() => readMeta(files, pathsOf(join(root, id)))) ?? {
    meta: {},
  };
  return { createdAt, ...(owner && { owner }), meta };
}

function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isFileFailure(error)) return undefined;
    throw error;
  }
}

/**
 * Returns true if the conversation exists. The reference creates the state first, and `events/` with the first event.
 */
export function hasConversation(files: Files, paths: Paths): boolean {
  return [paths.events, paths.baseState].some((path) => files.status(path));
}

/** Position of a conversation in a listing, and the identity of the place that it was read from. */
interface FoundPosition extends Pick<Summary, 'id' | 'updatedAt'> {
  readonly identity: string;
}

function positionsIn(files: Files, root: string): readonly FoundPosition[] {
  return files.list(root).flatMap((id) => (isId(id) ? (positionOf(files, root, id) ?? []) : []));
}

function positionOf(files: Files, root: string, id: string): FoundPosition | undefined {
  const { directory, events, baseState } = pathsOf(join(root, id));
  const status = unlessUnreadable(() => files.status(events) ?? files.status(baseState) ?? 'missing');
  const { identity, modifiedNs } = (status === 'missing' ? undefined : (status ?? files.status(directory))) ?? {};
  if (identity === undefined || modifiedNs === undefined) return undefined;
  return { id, updatedAt: Math.min(Math.max(toMs(modifiedNs), 0), latest), identity };
}

/** End of the year 9999. Some file systems store times that the cursor of a page cannot contain. */
const latest = 253_402_300_799_999;
