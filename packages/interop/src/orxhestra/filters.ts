import { newEvent, textPart, type Event } from './event.ts';
import { dataOf, hasToolCalls, isTruthy, textOfEvent } from './properties.ts';

/**
 * Returns true for an event that a model of orxhestra sees: no partial event, start, end, error or ReAct notes, and no
 * message without text, data and calls.
 */
export function shouldIncludeEvent(event: Event): boolean {
  const { type, partial, metadata } = event;
  if (partial === true || type === 'agent_start' || type === 'agent_end') return false;
  if (isTruthy(metadata['error']) || isTruthy(metadata['scratchpad'])) return false;
  return type !== 'agent_message' || textOfEvent(event) !== '' || dataOf(event) !== null || hasToolCalls(event);
}

/**
 * Replaces the events in the time ranges of all compactions by messages with the summaries, which appear where the
 * compactions are. Ranges cover all branches, as in orxhestra. Returns the same list if it has no compactions. Without
 * `newId`, the id of a message is that of its compaction with the suffix `-summary`.
 */
export function applyCompaction(
  events: readonly Event[],
  { newId }: { readonly newId?: () => string } = {},
): readonly Event[] {
  const ranges = events.flatMap(({ actions }) => actions.compaction ?? []);
  if (ranges.length === 0) return events;
  return events.flatMap((event) => {
    const { compaction } = event.actions;
    if (compaction) return [summaryMessage(event, newId?.() ?? `${event.id}-summary`)];
    const isInside = ranges.some(
      ({ start_timestamp: start, end_timestamp: end }) => event.timestamp >= start && event.timestamp <= end,
    );
    return isInside ? [] : [event];
  });
}

function summaryMessage({ timestamp, actions, ...event }: Event, id: string): Event {
  const { summary = '', event_count: count = 0 } = actions.compaction ?? {};
  const { session_id, agent_name, branch, invocation_id } = event;
  const parts = [textPart(`[Summary of ${count} earlier events]\n\n${summary}`)];
  const fields = { session_id, agent_name, branch, invocation_id, content: { role: null, parts } };
  return newEvent({ id, type: 'user_message', timestamp, author: 'system', ...fields });
}
