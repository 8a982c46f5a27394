import type { BaseEvent } from '@varve/events';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints } from '@varve/events/projections';

/** Range of a view that can be forgotten without splitting a reply: from `start` to `end` (exclusive). */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** Requirements for a {@link Segment}. */
export interface SegmentRequest {
  /** Minimum start index. */
  readonly first: number;
  /** Preferred end index. */
  readonly target: number;
  /** Maximum end index. */
  readonly limit: number;
  /** Minimum number of forgotten events. */
  readonly least: number;
}

/**
 * Returns the allowed segment with the end nearest to the target, the longer of two. Returns undefined if no segment is
 * allowed.
 */
export function segmentFor(events: readonly BaseEvent[], request: SegmentRequest): Segment | undefined {
  const points = cutPoints(events);
  const start = points.find((point) => point >= request.first);
  if (start === undefined) return undefined;
  const before = forgettableBefore(events);
  const least = (before[start] ?? 0) + request.least;
  const ends = points.filter((end) => end > start && end <= request.limit && (before[end] ?? 0) >= least);
  const distance = (end: number): number => Math.abs(end - request.target);
  const end = ends.reduce<number | undefined>(
    (best, point) => (best !== undefined && distance(best) < distance(point) ? best : point),
    undefined,
  );
  return end === undefined ? undefined : { start, end };
}

/** Counts the forgettable events before each index, the length included. Linear, because an old log may be long. */
function forgettableBefore(events: readonly BaseEvent[]): readonly number[] {
  let count = 0;
  return [0, ...events.map((event) => (SystemPromptEvent.is(event) ? count : ++count))];
}

/** Returns the events of a segment except system prompts, which are never forgotten. */
export function forgettable(events: readonly BaseEvent[], { start, end }: Segment): readonly BaseEvent[] {
  return events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
}
