import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page, Summary } from '../contract/store.ts';
import { isId } from '../kit/checks.ts';
import { compareSummaries, type Listing, type ListPosition, toPage } from '../kit/listing.ts';
import { readMeta } from './conversation-meta.ts';
import { type Files, toMs } from './layout/files.ts';
import { readNames } from './layout/list-events.ts';
import { type Paths, pathsOf } from './layout/paths.ts';

/** Summaries that are read in one turn of the event loop: each takes 0.05 ms and more, a page of a thousand 80 ms. */
const readPerTurn = 50;

/** Lists the conversations in a root. Reads one file status of each, and more only for those on the page. */
export async function listSummaries(files: Files, root: string, { limit, after }: Listing): Promise<Page<Summary>> {
  const positions = files.list(root).flatMap((id) => (isId(id) ? (positionOf(files, root, id) ?? []) : []));
  const rest = after ? positions.filter((position) => compareSummaries(after, position) < 0) : positions;
  const found: Summary[] = [];
  for (const [index, { id }] of rest.toSorted(compareSummaries).entries()) {
    if (index > 0 && index % readPerTurn === 0) await nextTurn();
    const summary = readSummary(files, root, id);
    if (summary) found.push(summary);
    if (found.length > limit) break;
  }
  return toPage(found, limit);
}

/** Returns the summary of a conversation, or `undefined` if it is missing. Counts the events without reading them. */
export function readSummary(files: Files, root: string, id: string): Summary | undefined {
  const position = positionOf(files, root, id);
  if (!position) return undefined;
  const paths = pathsOf(join(root, id));
  const { createdAt = position.updatedAt, meta } = readMeta(files, paths);
  const { names } = readNames({ id, files, paths, warn: () => {} });
  return { id, createdAt, updatedAt: position.updatedAt, head: names.length, meta };
}

/**
 * Returns true if the conversation exists. The reference creates the state first, and `events/` with the first event.
 */
export function hasConversation(files: Files, paths: Paths): boolean {
  return [paths.events, paths.baseState].some((path) => files.status(path));
}

function positionOf(files: Files, root: string, id: string): ListPosition | undefined {
  const { events, baseState } = pathsOf(join(root, id));
  const status = files.status(events) ?? files.status(baseState);
  return status && { id, updatedAt: toMs(status.modifiedNs) };
}
