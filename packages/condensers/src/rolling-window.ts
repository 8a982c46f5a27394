import type { BaseEvent } from '@varve/events';
import * as z from 'zod';
import type { CondensationPlan, Condenser } from './condenser.ts';
import { CondenserError } from './error.ts';
import { gapNote } from './plans/gap-note.ts';
import { openingLength } from './plans/opening.ts';
import { forgettable, segmentFor, type Segment, type SegmentRequest } from './plans/segment.ts';
import { defineCondenserKind } from './registry/define-condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Options of {@link rollingWindow}. */
export interface RollingWindowOptions {
  /** Maximum number of events of a view. */
  readonly maxEvents: number;
  /** Minimum number of first events to keep. The prompt and the first user message are always kept. Default 2. */
  readonly keepFirst?: number;
  /** Approximate number of last events to keep. Default: the new view is half of `maxEvents`, the note included. */
  readonly keepLast?: number;
}

/** Minimum share of the view to forget, because each condensation invalidates the prompt cache. */
const minimumShare = 0.1;

/**
 * Creates a condenser that forgets the middle of a long view and leaves a note with the number of hidden events,
 * without a model. A demand forgets about half of a view of any size. It may forget some of the last events if a reply
 * allows no other cut.
 *
 * @throws {CondenserError} `invalid` for options that leave nothing to forget.
 * @see software-agent-sdk LLMSummarizingCondenser, with the same sizes; it fails where this one uses the nearest cut
 */
export function rollingWindow({ maxEvents, ...options }: RollingWindowOptions): Condenser {
  const { keepFirst = 2 } = options;
  const { keepLast = Math.floor(maxEvents / 2) - keepFirst - 1 } = options;
  checkOptions({ maxEvents, keepFirst, keepLast });
  return {
    spec: { kind: 'rolling-window', maxEvents, keepFirst, keepLast },
    async condense(view, { reason, signal }) {
      throwIfAborted(signal);
      const { events } = view;
      if (reason === 'check' && events.length <= maxEvents) return view;
      const opening = openingLength(events);
      const first = Math.max(keepFirst, opening);
      const last = events.length > maxEvents ? keepLast : events.length;
      const requests =
        reason === 'check' ? [checkRequest(events, first, last)] : demandRequests(events, first, last, opening);
      const segment = requests.reduce<Segment | undefined>(
        (found, request) => found ?? segmentFor(events, request),
        undefined,
      );
      if (segment) return planFor(events, segment);
      return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be cut out of the view.' };
    },
  };
}

/** Spec of {@link rollingWindow}. */
export const rollingWindowKind = defineCondenserKind('rolling-window', {
  options: z.strictObject({
    maxEvents: z.number(),
    keepFirst: z.exactOptional(z.number()),
    keepLast: z.exactOptional(z.number()),
  }),
  create: rollingWindow,
});

function checkOptions(options: Required<RollingWindowOptions>): void {
  for (const [name, value] of Object.entries(options)) {
    const least = name === 'keepFirst' ? 0 : 1;
    if (!Number.isInteger(value) || value < least) {
      throw new CondenserError('invalid', `${name} is ${value}, not an integer of at least ${least}.`);
    }
  }
  const { maxEvents, keepFirst, keepLast } = options;
  if (keepFirst + keepLast + 1 > maxEvents) {
    throw new CondenserError('invalid', `Keeping ${keepFirst} and ${keepLast} of ${maxEvents} events leaves no room.`);
  }
}

function checkRequest({ length }: readonly BaseEvent[], first: number, last: number): SegmentRequest {
  const least = Math.max(2, Math.ceil(length * minimumShare));
  return { first, target: length - last, limit: length - Math.max(1, Math.floor(last / 2)), least };
}

/** Cuts to try in order: half of the view, then also the last events, then also the first events after the opening. */
function demandRequests(
  { length }: readonly BaseEvent[],
  first: number,
  last: number,
  opening: number,
): readonly SegmentRequest[] {
  const kept = Math.max(0, Math.min(last, Math.floor(length / 2) - first - 1));
  const request = { first, target: length - kept, limit: length - 1, least: 2 };
  return [request, { ...request, limit: length }, { ...request, first: opening, limit: length }];
}

function planFor(events: readonly BaseEvent[], segment: Segment): CondensationPlan {
  const forgotten = forgettable(events, segment);
  return {
    kind: 'condensation',
    forget: forgotten.map(({ id }) => id),
    summary: gapNote(forgotten),
    summaryOffset: segment.start,
  };
}
