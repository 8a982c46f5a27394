import { text, type BaseEvent, type Content, type Stamp, type TextContent } from '@varve/events';
import {
  childFact,
  controlFact,
  forkEndFact,
  forkFact,
  importFact,
  runFact,
  settingsFact,
  type ConversationSettings,
} from '@varve/events/facts';
import {
  AgentErrorEvent,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  MessageEvent,
  UserRejectObservation,
  type ActionEvent,
  type ErrorClassification,
} from '@varve/events/kinds';
import { MCPToolAction, type Payload } from '@varve/events/payloads';
import { statusKey, type ExecutionStatus, type Usage } from '@varve/events/projections';
import type { ToolControl } from '@varve/tools';
import { classifyFailure } from './classify-failure.ts';

/** An event without its stamp. A fixed `id` lets other events of the same append refer to it. */
export interface Draft {
  readonly id?: string;
  readonly make: (stamp: Stamp) => BaseEvent;
}

/** Sets the status of the conversation. */
export function statusDraft(status: ExecutionStatus): Draft {
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key: statusKey, value: status }, stamp) };
}

/** Sets the title of the conversation. */
export function titleDraft(title: string): Draft {
  return { make: (stamp) => ConversationStateUpdateEvent.create({ key: 'title', value: title }, stamp) };
}

/** Records that a run ends, at `at` in UTC milliseconds. */
export function runEndDraft(at: number): Draft {
  return { make: (stamp) => runFact.create({ state: 'ended', at }, stamp) };
}

/** Records the total usage of a child conversation, at `at` in UTC milliseconds. */
export function childDraft(conversation_id: string, { calls, unpriced_calls, ...used }: Usage, at: number): Draft {
  const { cost_usd = 0, latency_ms, ...usage } = used;
  const value = { conversation_id, calls, unpriced_calls, cost_usd, latency_ms, usage, at };
  return { make: (stamp) => childFact.create(value, stamp) };
}

/** Records the control of a call over the run, at `at` in UTC milliseconds. */
export function controlDraft(actionId: string, { kind, ...rest }: ToolControl, at: number): Draft {
  const value = { action_id: actionId, control: kind, reason: '', ...rest, at };
  return { make: (stamp) => controlFact.create(value, stamp) };
}

/** Records the settings from here on. */
export function settingsDraft(settings: ConversationSettings): Draft {
  return { make: (stamp) => settingsFact.create(settings, stamp) };
}

/** Begins a fork: the events that follow are copied. */
export function forkDraft(value: Parameters<typeof forkFact.create>[0]): Draft {
  return { make: (stamp) => forkFact.create(value, stamp) };
}

/** Ends the creation of the fork that the event `fork` began, at `at` in UTC milliseconds. */
export function forkEndDraft(fork: string, at: number): Draft {
  return { make: (stamp) => forkEndFact.create({ fork, at }, stamp) };
}

/** Marks the events before it as imported. */
export function importDraft(value: Parameters<typeof importFact.create>[0]): Draft {
  return { make: (stamp) => importFact.create(value, stamp) };
}

/**
 * Adds a message of the user; `extended` follows it for the model, `skills` are the names of those in it, and `sender`
 * is the tool whose result it is.
 */
export function userMessageDraft(
  content: readonly Content[],
  {
    id,
    extended = [],
    skills = [],
    sender,
  }: {
    readonly id?: string;
    readonly extended?: readonly TextContent[];
    readonly skills?: readonly string[];
    readonly sender?: string;
  } = {},
): Draft {
  const llm_message = { role: 'user', content } as const;
  const fields = { source: 'user', llm_message, activated_skills: skills, extended_content: extended } as const;
  const from = sender !== undefined && { sender };
  return { ...(id !== undefined && { id }), make: (stamp) => MessageEvent.create({ ...fields, ...from }, stamp) };
}

/**
 * Adds a message of the framework to the model, in the role of a user. It resets nothing that a user's message resets.
 */
export function nudgeDraft(message: string): Draft {
  const content = [text(message)];
  return {
    make: (stamp) => MessageEvent.create({ source: 'environment', llm_message: { role: 'user', content } }, stamp),
  };
}

/** Ends the work, or nudges the model to continue when it has not read the latest message of the user. */
export function finishedDraft(sawLatestUserMessage: boolean): Draft {
  return sawLatestUserMessage ? statusDraft('finished') : unreadMessageNudge();
}

/** Points the model to a message that its last reply does not answer. */
export function unreadMessageNudge(): Draft {
  return nudgeDraft('The user sent a message while you were writing your last reply. Read it above and continue.');
}

const agentAction: ErrorClassification = { kind: 'agent_action', retryable: true, user_action: 'retry' };
/** Classification of a failure that is not the model's fault. */
export const internalFailure: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };

/** Returns the answer to a call that follows one that ends the run, such as `finish`, in its own reply. */
export function callAfterEndMessage(name: string): string {
  return `This call was not executed, because ${name} came before it in the same reply.`;
}

/** Answer to a call that was interrupted before it started. */
export const notStartedMessage = 'This call was interrupted before it started.';

/** Answer to a call that was interrupted while it ran. */
export const interruptedMessage = 'This call was interrupted before it had a result.';

/** Returns the answer to a call that may have run when its process ended. */
export function unknownOutcomeMessage(name: string): string {
  return `The outcome of this ${name} call is unknown: the process ended while it may have been running. It was not run again. Check the current state before you repeat it.`;
}

/** Returns the arguments of an action as JSON text. */
export function argumentsOf(action: Payload): string {
  const { kind: _kind, ...fields } = action;
  return JSON.stringify(MCPToolAction.is(action) ? action.data : fields);
}

/** Returns the answer to a call that a person changed: what ran in its place, and its result. */
export function changedCallMessage(action: Payload, result: string): string {
  return `The user changed the arguments of this call, and it ran with these instead:\n\n${argumentsOf(action)}\n\n${result}`;
}

/** Answers a call with an error for the model. */
export function callErrorDraft(
  call: Pick<ActionEvent, 'tool_name' | 'tool_call_id'>,
  error: string,
  classification: ErrorClassification = agentAction,
): Draft {
  const { tool_name, tool_call_id } = call;
  return { make: (stamp) => AgentErrorEvent.create({ tool_name, tool_call_id, error, classification }, stamp) };
}

/** Answers a call with the rejection of a person, or of a hook. */
export function rejectionDraft(
  { tool_name, tool_call_id, id }: Pick<ActionEvent, 'tool_name' | 'tool_call_id' | 'id'>,
  reason: string,
  source: 'user' | 'hook' = 'user',
): Draft {
  const fields = { tool_name, tool_call_id, rejection_reason: reason, rejection_source: source, action_id: id };
  return { make: (stamp) => UserRejectObservation.create(fields, stamp) };
}

/** Ends a run in failure: the reason for people, and the status `error`. */
export function failureDrafts(code: string, detail: string): readonly Draft[] {
  const classification = classifyFailure(code, detail);
  return [
    { make: (stamp) => ConversationErrorEvent.create({ source: 'environment', code, detail, classification }, stamp) },
    statusDraft('error'),
  ];
}
