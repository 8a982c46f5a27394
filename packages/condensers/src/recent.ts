import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { findSegment, minimumShare } from './plans/find-segment.ts';
import { checkLimits, excessOf, keepFirstOptions, type KeepFirstOptions } from './plans/limits.ts';
import { openingLength } from './plans/opening.ts';
import { forgettable } from './plans/segment.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * Creates a condenser that shows the first and the most recent events. A view of more than `maxEvents`, by default 100,
 * loses a tenth at a time, because forgetting one event per step would make every request miss the prompt cache.
 *
 * @throws {CondenserError} `invalid` for numbers that are no counts.
 * @see OpenHands V0 RecentEventsCondenser, which forgets at every step and repeats the first events of a short view
 */
export function recent({ maxEvents = 100, keepFirst = 1, ...others }: KeepFirstOptions = {}): Condenser {
  const limits = { maxEvents, ...others };
  checkLimits(limits, { keepFirst });
  return {
    spec: { kind: 'recent', ...limits, keepFirst },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const { events } = view;
      const { reason } = context;
      const first = Math.max(keepFirst, openingLength(events));
      const last = Math.max(1, Math.floor(maxEvents * (1 - minimumShare)) - first);
      const excess = excessOf(events, context, limits, { first, last });
      const segment = excess && findSegment(events, { reason, first, target: excess.target });
      if (!segment) return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be forgotten.' };
      const forgotten = new Set(forgettable(events, segment));
      return { ...view, events: events.filter((event) => !forgotten.has(event)) };
    },
  };
}

/** Spec of {@link recent}. */
export const recentKind = defineCondenserKind('recent', {
  options: () => z.object(keepFirstOptions()),
  create: recent,
});
