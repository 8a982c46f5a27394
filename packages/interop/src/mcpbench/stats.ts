import type { BaseEvent } from '@varve/events';
import { ActionEvent, AgentErrorEvent, Condensation, MessageEvent } from '@varve/events/kinds';
import { foldEvents, statsProjection, statusProjection } from '@varve/events/projections';
import { FinishAction } from '@varve/events/payloads';
import { actionsByReply, toMcpbenchLogs, isAnyResult, messageText } from './logs.ts';

/** Returns the four counters of a log under the keys of mcpbench_dev. */
export function mcpbenchStats(events: readonly BaseEvent[]) {
  return {
    /** Messages of the user. */
    interaction_turns: userMessages(events),
    tool_calls: events.filter((event) => ActionEvent.is(event)).length,
    /** Calls that failed before or outside their tool. */
    errors: events.filter((event) => AgentErrorEvent.is(event)).length,
    condensations: events.filter((event) => Condensation.is(event)).length,
  };
}

/** Returns the twelve numbers of `key_stats`: six that the agent keeps, overlaid by six of its history. */
export function keyStats(events: readonly BaseEvent[]) {
  const { interaction_turns, tool_calls } = mcpbenchStats(events);
  const { total } = foldEvents(statsProjection, events);
  const [user_input_turns, assistant_turns] = [userMessages(events), replyCount(events)];
  return {
    interaction_turns,
    tool_calls,
    agent_llm_requests: total.calls === 0 ? assistant_turns : total.calls,
    total_tokens: total.input_tokens + total.output_tokens,
    input_tokens: total.input_tokens,
    output_tokens: total.output_tokens,
    /** Messages of the user and replies of the agent. */
    total_turns: user_input_turns + assistant_turns,
    total_messages: toMcpbenchLogs(events, { profile: 'toolathlon' }).messages.length,
    /** Condensations that removed events. */
    truncations: events.filter((event) => Condensation.is(event) && event.forgotten_event_ids.length > 0).length,
    user_input_turns,
    assistant_turns,
  };
}

/** Cost of the agent or of a simulated user, as in `log.json`. */
export interface Cost {
  readonly total_cost: number;
  readonly total_input_tokens: number;
  readonly total_output_tokens: number;
  readonly total_requests: number;
}

/** Returns the cost of a log; unknown prices count as 0. */
export function costOf(events: readonly BaseEvent[]): Cost {
  const { total } = foldEvents(statsProjection, events);
  return {
    total_cost: total.cost_usd ?? 0,
    total_input_tokens: total.input_tokens,
    total_output_tokens: total.output_tokens,
    total_requests: keyStats(events).agent_llm_requests,
  };
}

function userMessages(events: readonly BaseEvent[]): number {
  return events.filter((event) => MessageEvent.is(event) && event.source === 'user').length;
}

function replyCount(events: readonly BaseEvent[]): number {
  const replies = [...actionsByReply(events).values()].filter((actions) => actions.length > 0).length;
  return replies + events.filter((event) => MessageEvent.is(event) && event.source === 'agent').length;
}

/** Statuses of a task in `log.json`. */
type TaskStatus = 'success' | 'failed' | 'timeout' | 'max_turns_reached' | 'interrupted';

/** Conditions that end a task. */
interface StopConditions {
  /** Text with which a simulated user ends the task. Default `#### STOP`. */
  readonly userMarker?: string;
  /** Tools whose call ends the task when it has a result. Default `claim_done`. */
  readonly doneTools?: readonly string[];
  /** Largest number of turns. Default unlimited. */
  readonly maxTurns?: number;
  /** Largest number of requests to the model. Default unlimited. */
  readonly maxRequests?: number;
}

/** Condition that holds for a log. */
export interface Stop {
  readonly by: 'user' | 'tool' | 'turns' | 'requests';
  readonly status: TaskStatus;
}

/** Returns the first condition that holds for a log; undefined while the task continues. */
export function stopOf(events: readonly BaseEvent[], conditions: StopConditions = {}): Stop | undefined {
  const { userMarker = '#### STOP', doneTools = ['claim_done'], maxTurns, maxRequests } = conditions;
  const last = events.findLast((event) => MessageEvent.is(event) && event.source === 'user');
  if (last && MessageEvent.is(last) && messageText(last).includes(userMarker)) return { by: 'user', status: 'success' };
  if (events.some((event) => isAnyResult(event) && doneTools.includes(event.tool_name))) {
    return { by: 'tool', status: 'success' };
  }
  const { total_turns, agent_llm_requests } = keyStats(events);
  if (maxTurns !== undefined && total_turns >= maxTurns) return { by: 'turns', status: 'max_turns_reached' };
  if (maxRequests === undefined || agent_llm_requests < maxRequests) return undefined;
  return { by: 'requests', status: 'max_turns_reached' };
}

/** Returns the status of a task: by its stop condition, else by the end of its last run. */
export function stopStatus(events: readonly BaseEvent[], conditions: StopConditions = {}): TaskStatus {
  const stop = stopOf(events, conditions);
  if (stop) return stop.status;
  const { execution, error } = foldEvents(statusProjection, events);
  if (error) return statusByCode[error.code] ?? 'failed';
  if (execution === 'finished' || events.some((event) => ActionEvent.is(event) && FinishAction.is(event.action)))
    return 'success';
  return execution === 'error' || execution === 'stuck' ? 'failed' : 'interrupted';
}

const statusByCode: Readonly<Record<string, TaskStatus>> = {
  MaxIterationsReached: 'max_turns_reached',
  MaxCallsReached: 'max_turns_reached',
  MaxTimeReached: 'timeout',
};
