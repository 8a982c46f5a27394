import type { BaseEvent } from '../define-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';

/** Event that is the result of a tool call. */
export type ResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** Returns true if an event is the result of a tool call. */
export function isResult(event: BaseEvent): event is ResultEvent {
  return ObservationEvent.is(event) || UserRejectObservation.is(event) || AgentErrorEvent.is(event);
}

/** Returns the id that a result refers to: of an action event or, for agent errors, of a tool call. */
export function callIdOf(result: ResultEvent): string {
  return AgentErrorEvent.is(result) ? result.tool_call_id : result.action_id;
}
