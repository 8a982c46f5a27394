import type { LogReader } from '@varve/storage';
import { eventFilter } from '../reference/info/event-filter.ts';
import { newestFirst } from '../reference/info/newest-first.ts';

/** Events that a subscriber receives before those that are stored after it subscribed. */
export type StreamStart =
  | { readonly history: 'none' }
  | { readonly history: 'all' }
  /** @param timestamp In the form of event timestamps; events with an earlier one are not sent. */
  | { readonly history: 'since'; readonly timestamp: string }
  /** @param seq Last event that the subscriber has; -1 for none. */
  | { readonly history: 'after'; readonly seq: number };

/**
 * Number of older events that are read before the search for a timestamp ends: logs of the reference contain events
 * whose timestamps are slightly out of order.
 */
const overlap = 128;

/**
 * Returns the seq of the first event of a history; the head for none. A timestamp is searched for from the end of the
 * log, because clients that reconnect ask for its last events.
 *
 * @throws {StorageError} `corrupt`, `io`.
 */
export async function firstOf(start: StreamStart, log: LogReader, head: number): Promise<number> {
  if (start.history === 'since') return firstSince(log, start.timestamp, head);
  if (start.history === 'after') return start.seq + 1;
  return start.history === 'all' ? 0 : head;
}

async function firstSince(log: LogReader, timestamp: string, head: number): Promise<number> {
  const isRecent = eventFilter({ from: timestamp });
  let first = head;
  for await (const stored of newestFirst(log, head)) {
    if (isRecent(stored)) first = stored.seq;
    else if (first - stored.seq > overlap) break;
  }
  return first;
}
