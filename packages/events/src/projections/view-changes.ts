import { text } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { deepFreeze } from '../immutable.ts';
import { CondensationSummaryEvent } from '../kinds/condensation-summary-event.ts';
import type { Condensation } from '../kinds/condensation.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { repliesOf } from '../messages/replies.ts';

/** Kind of the observation that replaces a masked one in a view. It is never stored. */
const maskedKind = 'MaskedObservation';

/** Replacement of observations by a text. */
export interface ViewMask {
  readonly event_ids: readonly string[];
  readonly text: string;
}

/**
 * Returns the events of a view after a condensation: without the forgotten ones, extended to whole replies, and with
 * its summary. System prompts stay.
 */
export function withCondensation(
  events: readonly BaseEvent[],
  condensation: Pick<Condensation, 'id' | 'timestamp' | 'forgotten_event_ids' | 'summary' | 'summary_offset'>,
): BaseEvent[] {
  const forgotten = wholeReplies(events, new Set(condensation.forgotten_event_ids));
  const kept = events.filter((event) => !forgotten.has(event.id) || SystemPromptEvent.is(event));
  const { summary, summary_offset: offset, id, timestamp } = condensation;
  if (summary === undefined || offset === undefined) return kept;
  const stamp = { id: `${id}-summary`, timestamp, source: 'environment' as const };
  if (kept.some((event) => event.id === stamp.id)) return kept;
  return kept.toSpliced(offset, 0, Object.freeze({ ...stamp, summary, kind: CondensationSummaryEvent.kind }));
}

/** Extends the forgotten ids to whole replies: their calls and results. */
function wholeReplies(events: readonly BaseEvent[], forgotten: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(forgotten);
  for (const { members } of repliesOf(events)) {
    const ids = members.flatMap((index) => events[index]?.id ?? []);
    if (ids.some((id) => forgotten.has(id))) for (const id of ids) all.add(id);
  }
  return all;
}

/** Returns the events of a view after a mask. Events that are not observations stay as they are. */
export function withMask(events: readonly BaseEvent[], mask: ViewMask): BaseEvent[] {
  const ids = new Set(mask.event_ids);
  return events.map((event) => {
    if (!ids.has(event.id) || !ObservationEvent.is(event)) return event;
    const observation = { content: [text(mask.text)], is_error: event.observation.is_error, kind: maskedKind };
    return deepFreeze({ ...event, observation, extended_content: [] });
  });
}

/** Returns true for an observation that a mask replaced. */
export function isMasked(event: BaseEvent): boolean {
  return ObservationEvent.is(event) && event.observation.kind === maskedKind;
}
