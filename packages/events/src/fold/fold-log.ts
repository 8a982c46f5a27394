import type { BaseEvent } from '../define-event.ts';
import type { Projections } from './timeline-snapshot.ts';
import { Timeline, type LogEntry, type ReadEntries, type TimelineOptions } from './timeline.ts';

/** A log as it stood after one of its events. */
export interface Position<Set extends Projections> {
  readonly entry: LogEntry;
  readonly event: BaseEvent;
  /** What was folded up to here. It moves on with the replay: read before asking for the next position. */
  readonly timeline: Pick<Timeline<Set>, 'read' | 'head' | 'leafId' | 'snapshot'>;
}

/**
 * Goes through a log position by position, oldest first, and shows at each what the projections say of that prefix. Each
 * event is folded once; only where the head moves to another branch is the prefix read again.
 */
export async function* foldLog<Set extends Projections>(
  read: ReadEntries,
  options: TimelineOptions<Set>,
): AsyncGenerator<Position<Set>, void, undefined> {
  const timeline = new Timeline(options);
  for await (const entry of read(0)) {
    const event = options.codec.read(entry.text);
    if (!timeline.push(event, entry.seq, entry.id)) await timeline.refold(read);
    yield { entry, event, timeline };
  }
}
