import * as z from 'zod';
import { withoutUndefined } from '@varve/text';
import type { Condenser } from './condenser.ts';
import { CondenserError } from './error.ts';
import { findSegment } from './plans/find-segment.ts';
import { gapPlan } from './plans/gap-note.ts';
import {
  checkCount,
  checkLimits,
  excessOf,
  keepFirstOptions,
  type KeepFirstOptions,
  type ViewLimits,
} from './plans/limits.ts';
import { openingLength } from './plans/opening.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Options of {@link rollingWindow}. */
export interface RollingWindowOptions extends KeepFirstOptions {
  readonly maxEvents: number;
  /** Approximate number of last events to keep. Default: the new view is half of `maxEvents`, the note included. */
  readonly keepLast?: number;
}

/**
 * Creates a condenser that forgets the middle of a long view and leaves a note with the number of hidden events,
 * without a model. A demand forgets about half of a view of any size. It may forget some of the last events if a reply
 * allows no other cut.
 *
 * @throws {CondenserError} `invalid` for options that leave nothing to forget.
 * @see software-agent-sdk LLMSummarizingCondenser, with the same sizes; it fails where this one uses the nearest cut
 */
export function rollingWindow({ maxEvents, ...options }: RollingWindowOptions): Condenser {
  const { keepFirst = 2, maxTokens, windowShare } = options;
  const { keepLast = Math.floor(maxEvents / 2) - keepFirst - 1 } = options;
  const limits = withoutUndefined({ maxEvents, maxTokens, windowShare });
  checkOptions({ maxEvents, keepFirst, keepLast }, limits);
  return {
    spec: { kind: 'rolling-window', ...limits, keepFirst, keepLast },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const { events } = view;
      const { reason } = context;
      const first = Math.max(keepFirst, openingLength(events));
      const last = events.length > maxEvents || reason === 'check' ? keepLast : events.length;
      const excess = excessOf(events, context, limits, { first, last });
      const segment = excess && findSegment(events, { reason, first, target: excess.target });
      if (segment) return gapPlan(events, segment);
      return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be cut out of the view.' };
    },
  };
}

/** Spec of {@link rollingWindow}. */
export const rollingWindowKind = defineCondenserKind('rolling-window', {
  options: () =>
    z.object({
      ...keepFirstOptions(),
      maxEvents: z.number(),
      keepLast: z.exactOptional(z.number()),
    }),
  create: rollingWindow,
});

interface WindowCounts {
  readonly maxEvents: number;
  readonly keepFirst: number;
  readonly keepLast: number;
}

function checkOptions({ maxEvents, keepFirst, keepLast }: WindowCounts, limits: ViewLimits): void {
  checkLimits(limits, { keepFirst });
  checkCount('keepLast', keepLast, 1);
  if (keepFirst + keepLast + 1 > maxEvents) {
    throw new CondenserError('invalid', `Keeping ${keepFirst} and ${keepLast} of ${maxEvents} events leaves no room.`);
  }
}
