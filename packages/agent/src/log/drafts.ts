import { text, type BaseEvent, type Content, type Stamp } from '@varve/events';
import { childFact, runFact } from '@varve/events/facts';
import {
  AgentErrorEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  UserRejectObservation,
  type ActionEvent,
  type ErrorClassification,
} from '@varve/events/kinds';
import { statusKey, type ExecutionStatus, type Usage } from '@varve/events/projections';

/** An event in the making: everything but the stamp. A fixed `id` lets other events of the same append name it. */
export interface Draft {
  readonly id?: string;
  readonly make: (stamp: Stamp) => BaseEvent;
}

/** The conversation goes to a status. */
export function statusDraft(status: ExecutionStatus): Draft {
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key: statusKey, value: status }, stamp) };
}

/** The conversation gets a name. */
export function titleDraft(title: string): Draft {
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key: 'title', value: title }, stamp) };
}

/** A run begins or ends, at `at` in UTC milliseconds. */
export function runDraft(state: 'begun' | 'ended', at: number): Draft {
  return { make: (stamp) => runFact.create({ state, at }, stamp) };
}

/** What a conversation that works for this one has used by now, at `at` in UTC milliseconds. */
export function childDraft(conversation_id: string, { calls, unpriced_calls, ...used }: Usage, at: number): Draft {
  const { cost_usd, latency_ms, ...usage } = used;
  const value = { conversation_id, calls, unpriced_calls, cost_usd, latency_ms, usage, at };
  return { make: (stamp) => childFact.create(value, stamp) };
}

/** The user says something. */
export function userMessageDraft(content: readonly Content[]): Draft {
  return {
    make: (stamp) => MessageEvent.create({ source: 'user', llm_message: { role: 'user', content } }, stamp),
  };
}

/** The framework says something to the model in a user's role; it is not the user's and resets nothing. */
export function nudgeDraft(message: string): Draft {
  const content = [text(message)];
  return {
    make: (stamp) => MessageEvent.create({ source: 'environment', llm_message: { role: 'user', content } }, stamp),
  };
}

/** The work is done, unless the user said something that the model had not read: then it is told, and goes on. */
export function finishedDraft(sawLatestUserMessage: boolean): Draft {
  return sawLatestUserMessage ? statusDraft('finished') : unreadMessageNudge();
}

/** The model is told that its reply does not answer what the user said last. */
export function unreadMessageNudge(): Draft {
  return nudgeDraft('The user said something while you wrote your last reply. Read it above, and go on.');
}

const agentAction: ErrorClassification = { kind: 'agent_action', retryable: true, user_action: 'retry' };
/** How a failure is classified that is not the model's fault. */
export const internalFailure: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };

/** What a call is answered with that its own reply made pointless. */
export const callAfterFinishMessage = 'This call was not executed, because finish came before it in the same reply.';

/** A call is answered with an error the model can read. */
export function callErrorDraft(
  call: Pick<ActionEvent, 'tool_name' | 'tool_call_id'>,
  error: string,
  classification: ErrorClassification = agentAction,
): Draft {
  const { tool_name, tool_call_id } = call;
  return { make: (stamp) => AgentErrorEvent.create({ tool_name, tool_call_id, error, classification }, stamp) };
}

/** A person refuses a call. */
export function rejectionDraft(event: ActionEvent, reason: string): Draft {
  const { tool_name, tool_call_id, id } = event;
  return {
    make: (stamp) =>
      UserRejectObservation.create({ tool_name, tool_call_id, rejection_reason: reason, action_id: id }, stamp),
  };
}

/** A run ends in failure: the reason for people, and the status. */
export function failureDrafts(code: string, detail: string): readonly Draft[] {
  return [
    { make: (stamp) => ConversationErrorEvent.create({ source: 'environment', code, detail }, stamp) },
    statusDraft('error'),
  ];
}
