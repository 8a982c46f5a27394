import { StorageError, type LogReader } from '@varve/storage';
import { eventFilter, type EventFilter } from '../reference/info/event-filter.ts';
import { eventFrame, syncedFrame, type Frame } from './frame.ts';
import type { LiveLog, Subscriber } from './live-log.ts';
import { firstOf, type StreamStart } from './start.ts';

/** Connection to a client. */
export interface Sink {
  /** Sends a frame. A client that does not read is disconnected; nothing is sent after that. */
  send(frame: Frame): void;
  /** Resolves when the client has read enough to receive more, or was disconnected. */
  drained(): Promise<void>;
  /** Disconnects the client after an error of the log. */
  fail(error: unknown): void;
  /** Aborts when the client is disconnected. */
  readonly closed: AbortSignal;
}

/**
 * Sends the whole state, the history, a mark and then every later event and message. Resolves when events are live;
 * they end when the client is disconnected. Nothing is lost, repeated or reordered between history and live events:
 * the client joins them in the turn in which its history ends where they continue.
 *
 * @throws {StorageError} `invalid` for a start after the end of the log, `missing`, `corrupt`, `io`.
 */
export async function followLog(log: LiveLog, sink: Sink, start: StreamStart): Promise<void> {
  const { snapshotCount } = log;
  await checkStart(start, log.reader);
  // Events that are stored from now on are sent even without a history.
  const head = await log.reader.head();
  sink.send(await log.snapshot());
  const from = await firstOf(start, log.reader, head);
  let next = await sendHistory(log, sink, { from, to: head, filter: filterOf(start) });
  // The live log may be ahead of the head since. Nothing is awaited between the last comparison and `add`: an event
  // that is delivered there would be neither in the history nor live.
  while (next < log.next && !sink.closed.aborted) {
    next = await sendHistory(log, sink, { from: next, to: log.next, filter: {} });
  }
  if (sink.closed.aborted) return;
  sink.send(syncedFrame(next - 1));
  const subscriber: Subscriber = {
    send(frame) {
      // A cursor may be ahead of the tail.
      if ((frame.seq ?? next) >= next) sink.send(frame);
    },
    fail: (error) => sink.fail(error),
  };
  log.add(subscriber);
  sink.closed.addEventListener('abort', () => log.remove(subscriber), { once: true });
  // The end of a run is reported by a whole state, which must not be lost while the history is sent.
  if (log.snapshotCount > snapshotCount) sink.send(await log.snapshot());
}

/** @throws {StorageError} `invalid` for a start after the end of the log. */
export async function checkStart(start: StreamStart, log: LogReader): Promise<void> {
  if (start.history !== 'after') return;
  const head = await log.head();
  if (start.seq < head) return;
  throw new StorageError('invalid', `The cursor ${start.seq} is after the last event, ${head - 1}.`);
}

function filterOf(start: StreamStart): EventFilter {
  return start.history === 'since' ? { from: start.timestamp } : {};
}

interface History {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly filter: EventFilter;
}

/** Sends events, and returns the seq of the next one: that of the end, unless the client is disconnected. */
async function sendHistory({ reader }: LiveLog, sink: Sink, { from, to, filter }: History): Promise<number> {
  const isSent = eventFilter(filter);
  let next = from;
  for await (const stored of reader.range(from, to)) {
    next = stored.seq + 1;
    if (isSent(stored)) sink.send(eventFrame(stored.seq, stored.text));
    await sink.drained();
    if (sink.closed.aborted) break;
  }
  return next;
}
