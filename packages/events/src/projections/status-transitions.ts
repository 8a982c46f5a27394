import { executionStatuses, type ExecutionStatus } from './status.ts';

/** One way from status to status, and what takes it. */
export interface StatusTransition {
  readonly from: readonly ExecutionStatus[];
  readonly to: ExecutionStatus;
  readonly trigger: string;
}

const all = executionStatuses.filter((status) => status !== 'deleting');

/**
 * Every way there is. What is not in here leaves the status as it is: a message to a paused conversation, a pause of one that
 * waits. Logs of others may hold other changes; projections follow them, because the log is what happened.
 *
 * @see software-agent-sdk ConversationExecutionStatus (there a message to a waiting conversation approves what waits; here it
 * rejects it)
 */
export const statusTransitions: readonly StatusTransition[] = [
  { from: ['idle', 'paused', 'error', 'stuck'], to: 'running', trigger: 'a run starts' },
  { from: ['finished', 'stuck'], to: 'idle', trigger: 'a user message comes' },
  { from: ['idle', 'running'], to: 'paused', trigger: 'a pause or an interrupt' },
  { from: ['running'], to: 'waiting_for_confirmation', trigger: 'a reply holds calls that must be confirmed' },
  { from: ['waiting_for_confirmation'], to: 'running', trigger: 'the waiting calls are approved' },
  { from: ['waiting_for_confirmation'], to: 'idle', trigger: 'the waiting calls are rejected' },
  { from: ['running'], to: 'finished', trigger: 'the finish tool ran, or the reply was plain text' },
  { from: ['finished'], to: 'running', trigger: 'a stop hook denies the end' },
  { from: ['running'], to: 'stuck', trigger: 'the agent repeats itself' },
  { from: all, to: 'error', trigger: 'a failure, a limit of the run, or a run that its process did not survive' },
  { from: all, to: 'deleting', trigger: 'a server deletes the conversation' },
];

const transitions = new Set(statusTransitions.flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)));

/** Whether a conversation may go from one status to the other. To stay is not to go. */
export function isStatusTransition(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return transitions.has(`${from} ${to}`);
}
