import type { BaseEvent } from '@varve/events';
import type { CondenseContext } from '../condenser.ts';
import { openingLength } from './opening.ts';
import { segmentFor, type Segment, type SegmentRequest } from './segment.ts';

/** Part of a view that should be forgotten. */
export interface WantedSegment {
  readonly reason: CondenseContext['reason'];
  /** Number of first events to keep. A demand may forget those after the opening. */
  readonly first: number;
  /** Index up to which events should be forgotten. */
  readonly target: number;
}

/** Minimum share of the view to forget for a check, because each condensation invalidates the prompt cache. */
export const minimumShare = 0.1;

/**
 * Returns the segment that can be forgotten and comes nearest to the wanted one; undefined if a check would forget too
 * little, or if no two events can be forgotten for a demand.
 */
export function findSegment(
  events: readonly BaseEvent[],
  { reason, first, target }: WantedSegment,
): Segment | undefined {
  const { length } = events;
  if (reason === 'check') {
    const kept = Math.max(1, Math.floor((length - target) / 2));
    const least = Math.max(2, Math.ceil(length * minimumShare));
    return segmentFor(events, { first, target, limit: length - kept, least });
  }
  // Then also the last events, then also the first events after the opening.
  const request: SegmentRequest = { first, target, limit: length - 1, least: 2 };
  const requests = [
    request,
    { ...request, limit: length },
    { ...request, first: openingLength(events), limit: length },
  ];
  return requests.reduce<Segment | undefined>((segment, next) => segment ?? segmentFor(events, next), undefined);
}
