import type { BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';

/** Difference between two runs; a side is absent where only the other has an event. */
export interface RunDifference {
  /** Number of the event among the compared ones, from 0. */
  readonly at: number;
  readonly left?: BaseEvent;
  readonly right?: BaseEvent;
}

/**
 * Returns the differences between two runs in messages, calls and results, event by event. Ids, times and states are
 * not compared. The common beginning and end are skipped, and the events between them are paired in order. Empty for
 * equal runs.
 */
export function diffRuns(left: readonly BaseEvent[], right: readonly BaseEvent[]): readonly RunDifference[] {
  const [mine, yours] = [left.flatMap(comparable), right.flatMap(comparable)];
  const shorter = Math.min(mine.length, yours.length);
  let start = 0;
  while (start < shorter && mine[start]?.text === yours[start]?.text) start++;
  let end = 0;
  while (end < shorter - start && mine.at(-1 - end)?.text === yours.at(-1 - end)?.text) end++;
  const [middle, other] = [mine.slice(start, mine.length - end), yours.slice(start, yours.length - end)];
  return Array.from({ length: Math.max(middle.length, other.length) }, (_, index) => index).flatMap((index) => {
    const [one, two] = [middle[index], other[index]];
    if (one?.text === two?.text) return [];
    return [{ at: start + index, ...(one && { left: one.event }), ...(two && { right: two.event }) }];
  });
}

interface Comparable {
  readonly event: BaseEvent;
  readonly text: string;
}

function comparable(event: BaseEvent): readonly Comparable[] {
  const content = contentOf(event);
  return content === undefined ? [] : [{ event, text: JSON.stringify([event.kind, event.source, content]) }];
}

function contentOf(event: BaseEvent): unknown {
  if (MessageEvent.is(event)) return event.llm_message.content;
  if (ActionEvent.is(event)) return [event.thought, event.tool_name, event.action ?? event.tool_call.arguments];
  if (ObservationEvent.is(event)) return [event.tool_name, event.observation];
  if (AgentErrorEvent.is(event)) return [event.tool_name, event.error];
  if (UserRejectObservation.is(event)) return [event.tool_name, event.rejection_reason];
  if (Condensation.is(event)) return [event.forgotten_event_ids.length, event.summary];
  return undefined;
}
