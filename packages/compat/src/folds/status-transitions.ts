import { executionStatuses, type ExecutionStatus } from '@varve/events/projections';

/** Allowed change of status, and its trigger. */
export interface StatusTransition {
  readonly from: readonly ExecutionStatus[];
  readonly to: ExecutionStatus;
  readonly trigger: string;
}

const all = executionStatuses.filter((status) => status !== 'deleting');

/**
 * All transitions. Other events leave the status unchanged: a message to a paused conversation, a pause of a waiting
 * one. Logs of other programs may contain other changes; projections follow them, because the log is authoritative.
 *
 * @see software-agent-sdk ConversationExecutionStatus, where a message to a waiting conversation approves the waiting
 * calls; here it rejects them
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
