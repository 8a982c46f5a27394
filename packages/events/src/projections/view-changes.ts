import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { CondensationSummaryEvent } from '../kinds/condensation-summary-event.ts';
import type { Condensation } from '../kinds/condensation.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { repliesOf } from '../messages/replies.ts';
import { callIdOf, isResult } from '../messages/results.ts';

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
 * and no system prompt. Replies are only searched for if a part of one may remain, because that takes longest.
 */
export function forgottenIds(events: readonly BaseEvent[], ids: readonly string[]): ReadonlySet<string> {
  const wanted = new Set(ids);
  const named = wanted.size === 0 ? [] : events.filter(({ id }) => wanted.has(id));
  const all = new Set(named.map(({ id }) => id));
  if (mayLeaveParts(events, named, all)) addWholeReplies(events, all);
  for (const event of named) if (SystemPromptEvent.is(event)) all.delete(event.id);
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

/** Returns false if no other event is in a reply of the named ones, by the ids that connect the events of a reply. */
function mayLeaveParts(events: readonly BaseEvent[], named: readonly BaseEvent[], ids: ReadonlySet<string>): boolean {
  const links = new Set<string>();
  for (const event of named) {
    if (ActionEvent.is(event)) links.add(event.id).add(event.llm_response_id).add(event.tool_call_id);
    else if (isResult(event)) links.add(callIdOf(event));
  }
  const isLinked = (event: BaseEvent): boolean =>
    ActionEvent.is(event)
      ? links.has(event.id) || links.has(event.llm_response_id) || links.has(event.tool_call_id)
      : isResult(event) && links.has(callIdOf(event));
  return links.size > 0 && events.some((event) => !ids.has(event.id) && isLinked(event));
}

/** Extends the forgotten ids to whole replies: their calls and results. */
function addWholeReplies(events: readonly BaseEvent[], forgotten: Set<string>): void {
  const named = new Set(forgotten);
  for (const { members } of repliesOf(events)) {
    const ids = members.flatMap((index) => events[index]?.id ?? []);
    if (ids.some((id) => named.has(id))) for (const id of ids) forgotten.add(id);
  }
}
