import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { foldEvents, statusProjection } from '@varve/events/projections';
import { isAnyResult, messageText } from './logs.ts';
import { keyStats } from './stats.ts';

/** Statuses of a task in `log.json`. */
export type TaskStatus = 'success' | 'failed' | 'timeout' | 'max_turns_reached' | 'interrupted';

/** Conditions that end a task. */
export interface StopConditions {
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
  if (execution === 'finished' || events.some((event) => isFinish(event))) return 'success';
  return execution === 'error' || execution === 'stuck' ? 'failed' : 'interrupted';
}

const statusByCode: Readonly<Record<string, TaskStatus>> = {
  MaxIterationsReached: 'max_turns_reached',
  MaxCallsReached: 'max_turns_reached',
  MaxTimeReached: 'timeout',
};

function isFinish(event: BaseEvent): boolean {
  return ActionEvent.is(event) && FinishAction.is(event.action);
}
