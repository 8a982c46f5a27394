import { textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  CondensationRequest,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  SystemPromptEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { statusKey } from '@varve/events/projections';
import { fieldsOf, type Fields } from '../common/foreign-json.ts';
import type { DroppedCounter } from '../common/origins.ts';
import { pythonText } from './python-text.ts';
import { actionFor } from './action-kinds.ts';
import { stateOfStatus } from './agent-states.ts';
import type { Metrics } from './metrics.ts';
import { observationKind } from './observation-kinds.ts';
import { argumentsOf } from '../common/generic-tool.ts';
import { rebuiltMetadata, type LoggedReply, imagesOf, type V0Record } from './tool-calls.ts';

/** State of writing that records depend on. */
export interface WritingContext {
  readonly dropped: DroppedCounter;
  readonly metrics: Metrics;
  /** Failure that the next change to the state `error` reports. */
  lastError: string;
  idOf(eventId: string): number | undefined;
  callOf(
    actionId: string | undefined,
    toolCallId: string,
  ): { readonly id: number; readonly record: V0Record; readonly event: ActionEvent } | undefined;
  replyOf(event: ActionEvent): LoggedReply;
}

const risks: Readonly<Record<string, number>> = { UNKNOWN: -1, LOW: 0, MEDIUM: 1, HIGH: 2 };
const noReasoning = 'V0 records no reasoning.';

/** Returns the records of an event without ids; undefined if V0 has none for its kind. */
export function recordsOf(event: BaseEvent, context: WritingContext): readonly V0Record[] | undefined {
  if (SystemPromptEvent.is(event)) return [systemRecord(event)];
  if (MessageEvent.is(event)) return messageRecords(event, context);
  if (ActionEvent.is(event)) return [callRecord(event, context)];
  if (ObservationEvent.is(event)) return observationRecords(event, context);
  if (AgentErrorEvent.is(event))
    return [errorFields(event.timestamp, event.error, context.callOf(undefined, event.tool_call_id))];
  if (UserRejectObservation.is(event)) return [rejectionRecord(event, context)];
  if (Condensation.is(event)) return [condensationRecord(event, context)];
  if (CondensationRequest.is(event)) return [requestRecord(event)];
  if (PauseEvent.is(event) || InterruptEvent.is(event)) return [pauseRecord(event)];
  if (ConversationErrorEvent.is(event)) {
    context.lastError = `${event.code}: ${event.detail}`;
    return [];
  }
  if (ConversationStateUpdateEvent.is(event)) return stateRecords(event, context);
  return undefined;
}

function systemRecord({ timestamp, source, system_prompt, dynamic_context, tools }: SystemPromptEvent): V0Record {
  const content = textOf(dynamic_context ? [system_prompt, dynamic_context] : [system_prompt]);
  const functions = tools.map((tool) => {
    const { name, inputSchema } = fieldsOf(tool['mcp_tool']) ?? {};
    const { title, description = '' } = tool as Fields;
    return {
      type: 'function',
      function: { name: name ?? title ?? tool.kind, description, parameters: inputSchema ?? {} },
    };
  });
  const args = { content, tools: functions, openhands_version: null, agent_class: null };
  return { timestamp, source, message: content, action: 'system', args };
}

function messageRecords(event: MessageEvent, { dropped, metrics }: WritingContext): readonly V0Record[] {
  const { timestamp, llm_message, extended_content, activated_skills } = event;
  if (llm_message.reasoning_content !== undefined || llm_message.thinking_blocks.length > 0) {
    dropped.add('reasoning', noReasoning);
  }
  const isUser = llm_message.role === 'user';
  const content = textOf(llm_message.content);
  const record = {
    timestamp,
    source: isUser ? (event.source === 'environment' ? 'environment' : 'user') : 'agent',
    message: content,
    action: 'message',
    ...(!isUser && metricsOf(metrics)),
    args: {
      content,
      file_urls: null,
      image_urls: imagesOf(llm_message.content),
      wait_for_response: !isUser,
      security_risk: -1,
    },
  };
  const recalled = textOf(extended_content);
  return recalled === '' ? [record] : [record, ...recallRecords(timestamp, content, { recalled, activated_skills })];
}

/** Returns the recall that V0 records for text that was added to a message of the user. */
function recallRecords(
  timestamp: string,
  query: string,
  { recalled, activated_skills }: { readonly recalled: string; readonly activated_skills: readonly string[] },
): readonly V0Record[] {
  const names = activated_skills.length > 0 ? activated_skills : ['context'];
  const knowledge = names.map((name, index) => ({ name, trigger: '', content: index === 0 ? recalled : '' }));
  const shared = { recall_type: 'knowledge' };
  const empty = { repo_name: '', repo_directory: '', repo_branch: '', repo_instructions: '', runtime_hosts: {} };
  const rest = { additional_agent_instructions: '', date: '', custom_secrets_descriptions: {} };
  return [
    {
      timestamp,
      source: 'user',
      message: `Retrieving content for: ${query.slice(0, 50)}`,
      action: 'recall',
      args: {
        ...shared,
        query,
        thought: '',
      },
    },
    {
      timestamp,
      source: 'environment',
      message: 'Added microagent knowledge',
      causeOffset: 1,
      observation: 'recall',
      content: 'Added microagent knowledge',
      extras: {
        ...shared,
        ...empty,
        ...rest,
        conversation_instructions: '',
        working_dir: '',
        microagent_knowledge: knowledge,
      },
    },
  ];
}

function callRecord(event: ActionEvent, context: WritingContext): V0Record {
  const { timestamp, source, tool_name, tool_call, action, thought, security_risk } = event;
  const { reasoning_content, thinking_blocks, responses_reasoning_item } = event;
  if (reasoning_content !== undefined || thinking_blocks.length > 0 || responses_reasoning_item) {
    context.dropped.add('reasoning', noReasoning);
  }
  if (event.summary !== undefined) context.dropped.add('ActionEvent summary', 'V0 has no summaries of calls.');
  const [name, kind] = actionFor(tool_name, action);
  const common = { thought: textOf(thought), security_risk: risks[security_risk] ?? -1 };
  const fields = kind.write(action ?? { data: argumentsOf(tool_call), kind: 'MCPToolAction' }, common);
  const args = name === 'call_tool_mcp' ? { ...fields, name: tool_name } : fields;
  const timeout = action?.['timeout'];
  return {
    timestamp,
    source,
    message: kind.describe(args),
    action: name,
    tool_call_metadata: rebuiltMetadata(event, context.replyOf(event)),
    ...(source === 'agent' && metricsOf(context.metrics)),
    args,
    ...(typeof timeout === 'number' && { timeout }),
  };
}

function observationRecords(event: ObservationEvent, context: WritingContext): readonly V0Record[] {
  const { timestamp, observation, extended_content, tool_name } = event;
  const call = context.callOf(event.action_id, event.tool_call_id);
  // The answer of a finish call is in the call.
  if (FinishAction.is(call?.event.action)) return [];
  const content = textOf([...observation.content, ...extended_content]);
  if (imagesOf(observation.content)) context.dropped.add('images of results', 'V0 records only those of the browser.');
  const args = fieldsOf(call?.record['args']) ?? {};
  const [, { observation: name = 'mcp' }] = actionFor(tool_name, call?.event.action);
  const kind = observationKind(name);
  const hasOwnError = name === 'run' || name === 'browse';
  if (!kind || (observation.is_error && !hasOwnError)) return [errorFields(timestamp, content, call)];
  const { extras, message, success } = kind.write(observation, {
    toolName: tool_name,
    action: call?.event.action,
    args,
  });
  const fields = { message, observation: name, content, extras, ...(success !== undefined && { success }) };
  return [{ ...resultFields(timestamp, call), ...fields }];
}

type Answered = ReturnType<WritingContext['callOf']>;

/** Returns the fields of a result: its cause, and a copy of the metadata of its call. V0 copies the source too. */
function resultFields(timestamp: string, call: Answered): Fields {
  const metadata = call?.record['tool_call_metadata'];
  return {
    timestamp,
    source: call?.record['source'] ?? 'environment',
    ...(call && { cause: call.id }),
    ...(metadata !== undefined && { tool_call_metadata: metadata }),
  };
}

function errorFields(timestamp: string, content: string, call: Answered): V0Record {
  const fields = { message: content, observation: 'error', content, extras: { error_id: '' } };
  return { ...resultFields(timestamp, call), ...fields };
}

function rejectionRecord(event: UserRejectObservation, context: WritingContext): V0Record {
  const { timestamp, rejection_reason: content, action_id, tool_call_id } = event;
  const fields = { message: content, observation: 'user_rejected', content, extras: {} };
  return { ...resultFields(timestamp, context.callOf(action_id, tool_call_id)), ...fields };
}

function condensationRecord(event: Condensation, context: WritingContext): V0Record {
  const { timestamp, forgotten_event_ids, summary, summary_offset } = event;
  const ids = forgotten_event_ids.flatMap((id) => context.idOf(id) ?? []);
  const isPlaced = summary !== undefined && summary_offset !== undefined;
  if (summary !== undefined && !isPlaced)
    context.dropped.add('Condensation summary', 'V0 needs a place for a summary.');
  const texts = isPlaced ? { summary, summary_offset } : { summary: null, summary_offset: null };
  const message = isPlaced ? `Summary: ${summary}` : `Condenser is dropping the events: ${pythonText(ids)}.`;
  const range = { forgotten_events_start_id: null, forgotten_events_end_id: null };
  return {
    timestamp,
    source: 'agent',
    message,
    action: 'condensation',
    args: {
      forgotten_event_ids: ids,
      ...range,
      ...texts,
    },
  };
}

function requestRecord({ timestamp }: CondensationRequest): V0Record {
  const message = 'Requesting a condensation of the conversation history.';
  return { timestamp, source: 'agent', message, action: 'condensation_request', args: {} };
}

function pauseRecord({ timestamp }: BaseEvent): V0Record {
  const args = { agent_state: 'paused', thought: '' };
  return { timestamp, source: 'user', message: 'Agent state changed to paused', action: 'change_agent_state', args };
}

function stateRecords(
  { timestamp, key, value }: ConversationStateUpdateEvent,
  context: WritingContext,
): readonly V0Record[] | undefined {
  // Totals are part of the metrics of actions.
  if (key === 'stats') return [];
  const agent_state = key === statusKey ? stateOfStatus(value) : undefined;
  if (agent_state === undefined) return undefined;
  const reason = agent_state === 'error' ? context.lastError : '';
  const fields = { observation: 'agent_state_changed', content: '', extras: { agent_state, reason } };
  return [{ timestamp, source: 'environment', message: '', ...fields }];
}

function metricsOf(metrics: Metrics): Fields {
  const llm_metrics = metrics.fields();
  return llm_metrics ? { llm_metrics } : {};
}
