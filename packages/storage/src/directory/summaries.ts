import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page, Summary } from '../contract/store.ts';
import { isId } from '../kit/conversation-id.ts';
import { isFileFailure } from '../kit/disk-error.ts';
import { compareSummaries, type Listing, type ListPosition, toPage } from '../kit/listing.ts';
import { readMeta } from './conversation-meta.ts';
import { type Files, toMs } from './layout/files.ts';
import { readNames } from './layout/list-events.ts';
import { type Paths, pathsOf } from './layout/paths.ts';

/** Summaries that are read in one turn of the event loop: each takes 0.05 ms and more, a page of a thousand 80 ms. */
const readPerTurn = 50;

/**
 * Lists the conversations in a root. Reads one file status of each, and more only for those on the page. One whose
 * files cannot be read, for instance because they belong to another user, is listed without events and `meta`: a use of
 * it reports why.
 */
export async function listSummaries(files: Files, root: string, { limit, after }: Listing): Promise<Page<Summary>> {
  const positions = files.list(root).flatMap((id) => (isId(id) ? (positionOf(files, root, id) ?? []) : []));
  const rest = after ? positions.filter((position) => compareSummaries(after, position) < 0) : positions;
  const summaries: Summary[] = [];
  for (const [index, { id }] of rest.toSorted(compareSummaries).entries()) {
    if (index > 0 && index % readPerTurn === 0) await nextTurn();
    const summary = readSummary(files, root, id);
    if (summary) summaries.push(summary);
    if (summaries.length > limit) break;
  }
  return toPage(summaries, limit);
}

/** Returns the summary of a conversation, or `undefined` if it is missing. Counts the events without reading them. */
export function readSummary(files: Files, root: string, id: string): Summary | undefined {
  const position = positionOf(files, root, id);
  if (!position) return undefined;
  const { updatedAt, identity } = position;
  const paths = pathsOf(join(root, id));
  const { createdAt = updatedAt, meta } = unlessUnreadable(() => readMeta(files, paths)) ?? { meta: {} };
  const names = unlessUnreadable(() => readNames({ id, files, paths, warn: () => {} }).names) ?? [];
  // What was read of a conversation that another process removed in between may be a part of it.
  if (positionOf(files, root, id)?.identity !== identity) return undefined;
  return { id, createdAt, updatedAt, head: names.length, meta };
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
interface FoundPosition extends ListPosition {
  readonly identity: string;
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
