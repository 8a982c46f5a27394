import { textOf, type BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import { repliesOf } from '@varve/events/projections';
import { DroppedCounter, subjectOf, type Dropped } from '../common/origins.ts';
import { countUnshown } from '../common/unshown.ts';

/**
 * Variants of the list. `seed`: one message per call, with the arguments of the action; errors, rejections and the
 * prompt are left out. `strict`: one message per reply with its arguments byte for byte, and everything that a model
 * reads. `toolathlon`: as `strict`, without the names of tools in results.
 */
export type LogsProfile = 'seed' | 'strict' | 'toolathlon';

/** Message of a list of logs. */
export interface LogMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Null for calls without a text. */
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** Options of {@link toMcpbenchLogs}. */
export interface LogsOptions {
  /** Default `strict`. */
  readonly profile?: LogsProfile;
}

/** Returns the events of one branch as a list of messages, whole: condensations remove nothing. */
export function toMcpbenchLogs(
  events: readonly BaseEvent[],
  { profile = 'strict' }: LogsOptions = {},
): { readonly messages: readonly LogMessage[]; readonly dropped: readonly Dropped[] } {
  const dropped = new DroppedCounter();
  const replies = actionsByReply(events);
  const messages = events.flatMap((event): readonly LogMessage[] => {
    const written =
      profile === 'seed' ? seedMessages(event) : strictMessages(event, replies.get(event.id) ?? [], profile);
    if (written) countUnshown(event, dropped);
    else dropped.add(subjectOf(event), 'The list has no message for it.');
    return written ?? [];
  });
  return { messages, dropped: dropped.list() };
}

/** Returns the actions of each reply by the id of the first one. The others have an empty list. */
export function actionsByReply(events: readonly BaseEvent[]): ReadonlyMap<string, readonly ActionEvent[]> {
  const steps = events.filter((event) => event.kind !== 'ConversationStateUpdateEvent');
  const all = repliesOf(steps).flatMap(({ calls }) => {
    const actions = calls.map(({ event }) => event);
    return actions.map(({ id }, index) => [id, index === 0 ? actions : []] as const);
  });
  return new Map(all);
}

function seedMessages(event: BaseEvent): readonly LogMessage[] | undefined {
  if (MessageEvent.is(event)) return [messageOf(event)];
  if (ActionEvent.is(event)) {
    const call = callOf(event, JSON.stringify(event.action ?? {}));
    return [{ role: 'assistant', content: textOf(event.thought), tool_calls: [call] }];
  }
  return ObservationEvent.is(event) ? [resultMessage(event, event.tool_name)] : undefined;
}

function strictMessages(
  event: BaseEvent,
  actions: readonly ActionEvent[],
  profile: 'strict' | 'toolathlon',
): readonly LogMessage[] | undefined {
  if (SystemPromptEvent.is(event)) {
    const { system_prompt: prompt, dynamic_context: context } = event;
    return [{ role: 'system', content: textOf(context ? [prompt, context] : [prompt]) }];
  }
  if (MessageEvent.is(event)) return [messageOf(event)];
  if (ActionEvent.is(event)) {
    if (actions.length === 0) return [];
    const text = textOf(actions.flatMap(({ thought }) => thought));
    const calls = actions.map((action) => callOf(action, action.tool_call.arguments));
    return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
  }
  if (!isAnyResult(event)) return undefined;
  return [resultMessage(event, profile === 'strict' ? event.tool_name : undefined)];
}

type AnyResult = ObservationEvent | AgentErrorEvent | UserRejectObservation;

/** Returns true for every kind of result of a call. */
export function isAnyResult(event: BaseEvent): event is AnyResult {
  return ObservationEvent.is(event) || AgentErrorEvent.is(event) || UserRejectObservation.is(event);
}

/** Returns the text of a result. */
export function resultText(event: AnyResult): string {
  if (AgentErrorEvent.is(event)) return event.error;
  if (UserRejectObservation.is(event)) return event.rejection_reason;
  return textOf([...event.observation.content, ...event.extended_content]);
}

/** Returns the text of a message with what was added to it. */
export function messageText({ llm_message, extended_content }: MessageEvent): string {
  return textOf([...llm_message.content, ...extended_content]);
}

function messageOf(event: MessageEvent): LogMessage {
  const role = event.llm_message.role === 'assistant' ? 'assistant' : 'user';
  return { role, content: messageText(event) };
}

function resultMessage(event: AnyResult, name: string | undefined): LogMessage {
  const { tool_call_id } = event;
  return { role: 'tool', content: resultText(event), tool_call_id, ...(name !== undefined && { name }) };
}

function callOf({ tool_call: { id, name } }: ActionEvent, written: string) {
  return { id, type: 'function' as const, function: { name, arguments: written } };
}
