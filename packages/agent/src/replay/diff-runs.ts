import type { BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';

/** One place where two runs differ; one side is absent where only the other did something. */
export interface RunDifference {
  /** Number of the event among those that are compared, from 0. */
  readonly at: number;
  readonly left?: BaseEvent;
  readonly right?: BaseEvent;
}

/**
 * Where two runs differ in what was said, called and answered, event by event. Ids, times and states are not compared. What
 * is the same at the beginning and at the end is skipped; what lies between is set side by side. Empty for equal runs.
 */
export function diffRuns(left: readonly BaseEvent[], right: readonly BaseEvent[]): readonly RunDifference[] {
  const [mine, yours] = [left.flatMap(told), right.flatMap(told)];
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

interface Told {
  readonly event: BaseEvent;
  readonly text: string;
}

function told(event: BaseEvent): readonly Told[] {
  const what = toldBy(event);
  return what === undefined ? [] : [{ event, text: JSON.stringify([event.kind, event.source, what]) }];
}

function toldBy(event: BaseEvent): unknown {
  if (MessageEvent.is(event)) return event.llm_message.content;
  if (ActionEvent.is(event)) return [event.thought, event.tool_name, event.action ?? event.tool_call.arguments];
  if (ObservationEvent.is(event)) return [event.tool_name, event.observation];
  if (AgentErrorEvent.is(event)) return [event.tool_name, event.error];
  if (UserRejectObservation.is(event)) return [event.tool_name, event.rejection_reason];
  if (Condensation.is(event)) return [event.forgotten_event_ids.length, event.summary];
  return undefined;
}
