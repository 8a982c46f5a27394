import type { BaseEvent } from '@varve/events';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints } from '@varve/events/projections';

/** A stretch of a view that can be forgotten without tearing anything apart: from `start` up to and without `end`. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** What a condenser would like to keep and to forget. */
export interface SegmentRequest {
  /** Stays: this many first events. */
  readonly first: number;
  /** Where the segment ends at best. */
  readonly target: number;
  /** The segment may not end after this index. */
  readonly limit: number;
  /** At least this many events are forgotten. */
  readonly least: number;
}

/** The cut nearest to a wish, the longer of two; undefined when none is allowed. */
export function segmentFor(events: readonly BaseEvent[], wish: SegmentRequest): Segment | undefined {
  const points = cutPoints(events);
  const start = points.find((point) => point >= wish.first);
  if (start === undefined) return undefined;
  const before = forgettableBefore(events);
  const least = (before[start] ?? 0) + wish.least;
  const ends = points.filter((end) => end > start && end <= wish.limit && (before[end] ?? 0) >= least);
  const distance = (end: number): number => Math.abs(end - wish.target);
  const end = ends.reduce<number | undefined>(
    (best, one) => (best !== undefined && distance(best) < distance(one) ? best : one),
    undefined,
  );
  return end === undefined ? undefined : { start, end };
}

/** How many events may be forgotten before each index, the length included: an old log may be long when it is first cut. */
function forgettableBefore(events: readonly BaseEvent[]): readonly number[] {
  let count = 0;
  return [0, ...events.map((event) => (SystemPromptEvent.is(event) ? count : ++count))];
}

/** The events of a segment that may be forgotten: a system prompt never. */
export function forgettable(events: readonly BaseEvent[], { start, end }: Segment): readonly BaseEvent[] {
  return events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
}
