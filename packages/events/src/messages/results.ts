import type { BaseEvent } from '../define-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';

/** An event that answers a tool call. */
export type ResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** Whether an event answers a tool call. */
export function isResult(event: BaseEvent): event is ResultEvent {
  return ObservationEvent.is(event) || UserRejectObservation.is(event) || AgentErrorEvent.is(event);
}

/** What a result says it answers: the id of an action event, or, for agent errors, the id of a tool call. */
export function callIdOf(result: ResultEvent): string {
  return AgentErrorEvent.is(result) ? result.tool_call_id : result.action_id;
}
