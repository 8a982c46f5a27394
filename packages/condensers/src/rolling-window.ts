import type { BaseEvent } from '@varve/events';
import type { CondensationPlan, Condenser } from './condenser.ts';
import { CondenserError } from './error.ts';
import { gapNote } from './gap-note.ts';
import { openingLength } from './opening.ts';
import { forgettable, segmentFor, type Segment, type SegmentRequest } from './segment.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** How large a view may become, and what of it always stays. */
export interface RollingWindowOptions {
  /** A view of more events than this is cut. */
  readonly maxEvents: number;
  /** This many events at the start stay, or more: the prompt and the first user message do. Default 2. */
  readonly keepFirst?: number;
  /** About this many events at the end stay. Default: what makes the new view half of `maxEvents`, the note included. */
  readonly keepLast?: number;
}

/** A condensation costs the prompt cache: below this share of the view it is not worth it. */
const minimumShare = 0.1;

/**
 * Forgets the middle of a long view and leaves a note that says how many events are not shown; asks no model. A demand
 * cuts about half, whatever the size; it may cut into the last events when a reply leaves no other place.
 *
 * @throws {CondenserError} `invalid` when the options leave nothing to forget.
 * @see software-agent-sdk LLMSummarizingCondenser (same sizes; ours looks for the nearest cut instead of giving up)
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
      const wishes =
        reason === 'check' ? [checkRequest(events, first, last)] : demandRequests(events, first, last, opening);
      const segment = wishes.reduce<Segment | undefined>((found, wish) => found ?? segmentFor(events, wish), undefined);
      if (segment) return planFor(events, segment);
      return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be cut out of the view.' };
    },
  };
}

function checkOptions(options: Required<RollingWindowOptions>): void {
  for (const [name, value] of Object.entries(options)) {
    const least = name === 'keepFirst' ? 0 : 1;
    if (!Number.isInteger(value) || value < least) {
      throw new CondenserError('invalid', `${name} is ${value}, not a whole number of at least ${least}.`);
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

/** Half of the view, then with the last events, then with the first ones but the opening: a demand must be met. */
function demandRequests(
  { length }: readonly BaseEvent[],
  first: number,
  last: number,
  opening: number,
): readonly SegmentRequest[] {
  const kept = Math.max(0, Math.min(last, Math.floor(length / 2) - first - 1));
  const wish = { first, target: length - kept, limit: length - 1, least: 2 };
  return [wish, { ...wish, limit: length }, { ...wish, first: opening, limit: length }];
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
