import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { CondensationSummaryEvent } from '../kinds/condensation-summary-event.ts';
import type { Condensation } from '../kinds/condensation.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { repliesOf } from '../messages/replies.ts';
import { isResult } from '../messages/results.ts';

/** Fields of a condensation that change a view. */
type ViewCondensation = Pick<Condensation, 'id' | 'timestamp' | 'forgotten_event_ids' | 'summary' | 'summary_offset'>;

/**
 * Returns the events of a view after a condensation: without the forgotten ones, extended to whole replies, and with
 * its summary. System prompts stay.
 */
export function withCondensation(events: readonly BaseEvent[], condensation: ViewCondensation): BaseEvent[] {
  return withoutForgotten(events, forgottenIds(events, condensation.forgotten_event_ids), condensation);
}

/**
 * Returns the ids of the events that leave a view when these are forgotten: whole replies with their calls and results,
 * and no system prompt. Replies are only searched for if one is forgotten, because that takes longest.
 */
export function forgottenIds(events: readonly BaseEvent[], ids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(ids);
  const named = wanted.size === 0 ? [] : events.filter(({ id }) => wanted.has(id));
  const isReply = named.some((event) => ActionEvent.is(event) || isResult(event));
  const all = isReply ? wholeReplies(events, wanted) : new Set(named.map(({ id }) => id));
  for (const event of events) {
    if (all.size === 0) break;
    if (SystemPromptEvent.is(event)) all.delete(event.id);
  }
  return all;
}

/** Returns the events of a view without the forgotten ones, and with the summary of the condensation. */
export function withoutForgotten(
  events: readonly BaseEvent[],
  forgotten: ReadonlySet<string>,
  { summary, summary_offset: offset, id, timestamp }: ViewCondensation,
): BaseEvent[] {
  const kept = forgotten.size === 0 ? events.slice() : events.filter((event) => !forgotten.has(event.id));
  if (summary === undefined || offset === undefined) return kept;
  const stamp = { id: summaryId({ id }), timestamp, source: 'environment' as const };
  if (kept.some((event) => event.id === stamp.id)) return kept;
  kept.splice(offset, 0, Object.freeze({ ...stamp, summary, kind: CondensationSummaryEvent.kind }));
  return kept;
}

/** Returns the id of the summary of a condensation in a view. */
export function summaryId({ id }: Pick<Condensation, 'id'>): string {
  return `${id}-summary`;
}

/** Extends the forgotten ids to whole replies: their calls and results. */
function wholeReplies(events: readonly BaseEvent[], forgotten: ReadonlySet<string>): Set<string> {
  const all = new Set(forgotten);
  for (const { members } of repliesOf(events)) {
    const ids = members.flatMap((index) => events[index]?.id ?? []);
    if (ids.some((id) => forgotten.has(id))) for (const id of ids) all.add(id);
  }
  return all;
}
