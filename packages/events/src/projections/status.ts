import { ConversationErrorEvent } from '../kinds/conversation-error-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';
import { InterruptEvent } from '../kinds/interrupt-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { PauseEvent } from '../kinds/pause-event.ts';
import type { BaseEvent } from '../define-event.ts';
import { freezeJson } from '../immutable.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';

/** Execution statuses of a conversation. @see software-agent-sdk execution_status */
export const executionStatuses = [
  'idle',
  'running',
  'paused',
  'waiting_for_confirmation',
  'finished',
  'error',
  'stuck',
  'deleting',
] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

/** Status of a conversation, and its last message, title and failure. */
export interface Status {
  readonly execution: ExecutionStatus;
  readonly lastUserMessageId?: string;
  readonly title?: string;
  /** Failure that ended the last run. Absent after the next change of status. */
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Key of the state update that sets the execution status. */
export const statusKey = 'execution_status';

/**
 * Folds state updates, pauses, failures and user messages. A pause applies to an idle or running conversation; a user
 * message makes a finished or stuck one idle.
 *
 * @see software-agent-sdk ConversationState.execution_status, and its table of transitions
 */
export const statusProjection: Projection<Status> = {
  name: 'status',
  version: 2,
  scope: 'log',
  initial: () => ({ execution: 'idle' }),
  apply: (status, event) => applyEvent(status, event),
  read: (status) => freezeJson(status),
  encode: (status) => ({ ...status }),
  decode: (json) => json as unknown as Status,
};

function applyEvent(status: Status, event: BaseEvent): Status {
  if (ConversationStateUpdateEvent.is(event)) {
    return stateFields(event).reduce((after, [key, value]) => withField(after, key, value), status);
  }
  if (PauseEvent.is(event) || InterruptEvent.is(event)) {
    return status.execution === 'idle' || status.execution === 'running' ? { ...status, execution: 'paused' } : status;
  }
  if (ConversationErrorEvent.is(event)) {
    return { ...status, execution: 'error', error: { code: event.code, detail: event.detail } };
  }
  if (!MessageEvent.is(event) || event.source !== 'user') return status;
  const wakes = status.execution === 'finished' || status.execution === 'stuck';
  return { ...status, ...(wakes && { execution: 'idle' as const }), lastUserMessageId: event.id };
}

function withField(status: Status, key: string, value: unknown): Status {
  if (key === 'title' && typeof value === 'string') return { ...status, title: value };
  const execution = executionStatuses.find((name) => name === value);
  if (key !== statusKey || !execution) return status;
  const { error, ...rest } = status;
  return { ...rest, execution, ...(execution === 'error' && error && { error }) };
}
