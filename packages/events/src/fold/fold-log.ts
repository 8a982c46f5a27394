import type { BaseEvent } from '../define-event.ts';
import type { Projections } from './timeline-snapshot.ts';
import { Timeline, type LogEntry, type ReadEntries, type TimelineOptions } from './timeline.ts';

/** State of a log after one of its events. */
export interface Position<Set extends Projections> {
  readonly entry: LogEntry;
  readonly event: BaseEvent;
  /** Fold of the prefix. It is shared by all positions: read it before requesting the next one. */
  readonly timeline: Pick<Timeline<Set>, 'read' | 'head' | 'leafId' | 'snapshot'>;
}

/**
 * Folds a log position by position, oldest first, and yields the fold of each prefix. Each event is folded once; the
 * prefix is read again only if the head moves to another branch.
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
