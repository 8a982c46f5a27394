import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { findSegment } from './plans/find-segment.ts';
import { gapPlan } from './plans/gap-note.ts';
import { checkLimits, excessOf, viewLimits, type ViewLimits } from './plans/limits.ts';
import { openingLength } from './plans/opening.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * Creates a condenser that starts over when a limit is exceeded: it keeps the beginning up to the first message of the
 * user and the last step, and leaves a note with the number of hidden events. Without limits it acts at 90 % of the
 * model's window, and on demand.
 *
 * @throws {CondenserError} `invalid` for limits that are no counts.
 */
export function discardAll(options: ViewLimits = {}): Condenser {
  const limits = Object.keys(options).length === 0 ? { windowShare: 0.9 } : { ...options };
  checkLimits(limits);
  return {
    spec: { kind: 'discard-all', ...limits },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const { events } = view;
      const { reason } = context;
      const first = openingLength(events);
      if (reason === 'check' && !excessOf(events, context, limits, { first })) return view;
      const segment = findSegment(events, { reason, first, target: events.length - 1 });
      if (!segment) return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be forgotten.' };
      return gapPlan(events, segment);
    },
  };
}

/** Spec of {@link discardAll}. */
export const discardAllKind = defineCondenserKind('discard-all', {
  aliases: ['discard_all'],
  options: () => z.object(viewLimits()),
  create: discardAll,
});
