import type { ExecutionStatus } from '@varve/events/projections';

/**
 * States of a V0 agent with their status in varve. Several states share one status: the record of an import keeps the
 * state.
 */
const statusByState = new Map<string, ExecutionStatus>([
  ['loading', 'idle'],
  ['running', 'running'],
  ['awaiting_user_input', 'idle'],
  ['paused', 'paused'],
  ['stopped', 'paused'],
  ['finished', 'finished'],
  ['rejected', 'finished'],
  ['error', 'error'],
  ['awaiting_user_confirmation', 'waiting_for_confirmation'],
  ['user_confirmed', 'running'],
  ['user_rejected', 'idle'],
  ['rate_limited', 'running'],
]);

const stateByStatus: Readonly<Record<string, string>> = {
  idle: 'awaiting_user_input',
  running: 'running',
  paused: 'paused',
  waiting_for_confirmation: 'awaiting_user_confirmation',
  finished: 'finished',
  error: 'error',
  stuck: 'error',
  deleting: 'stopped',
};

/** All states of a V0 agent. */
export const agentStates: readonly string[] = [...statusByState.keys()];

/** Returns the status for a state of a V0 agent; undefined for an unknown state. */
export function statusOfState(state: unknown): ExecutionStatus | undefined {
  return typeof state === 'string' ? statusByState.get(state) : undefined;
}

/** Returns the state of a V0 agent for a status; undefined for an unknown status. */
export function stateOfStatus(status: unknown): string | undefined {
  return typeof status === 'string' && Object.hasOwn(stateByStatus, status) ? stateByStatus[status] : undefined;
}
