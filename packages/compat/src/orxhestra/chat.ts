import {
  fieldsOf,
  newOrxhestraEvent,
  orxhestraProperties,
  stringOf,
  type Fields,
  type OrxhestraEvent,
  type OrxhestraPart,
} from '@varve/interop/records';
import { parseJson } from '@varve/text';

/** Message of a chat completion. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

/**
 * Returns the message that orxhestra makes of an event: a reply with calls has no text, and of several results only the
 * first one is used.
 */
export function chatMessageOf(event: OrxhestraEvent): ChatMessage {
  const { text, toolResponses } = orxhestraProperties(event);
  const [response] = toolResponses;
  if (event.type === 'user_message') return { role: 'user', content: text };
  if (event.type === 'tool_response') {
    const content = response?.error ?? response?.result ?? '';
    return { role: 'tool', content, tool_call_id: response?.tool_call_id ?? '' };
  }
  const calls = callsOf(event);
  return { role: 'assistant', content: calls ? '' : text, ...(calls && { tool_calls: calls }) };
}

/** Returns the messages of an event with all of its text, thinking, data, calls and results. */
export function chatMessagesOf(event: OrxhestraEvent): readonly ChatMessage[] {
  const { text, thinking, toolResponses } = orxhestraProperties(event);
  const data = event.content.parts.flatMap((part) => (part.type === 'data' ? [jsonOf(part.data)] : []));
  const content = [text, ...data].filter(Boolean).join('\n');
  if (event.type === 'user_message') return [{ role: 'user', content }];
  if (event.type === 'tool_response') {
    return toolResponses.map(({ tool_call_id, result, error }) => ({
      role: 'tool',
      content: error ?? result,
      tool_call_id,
    }));
  }
  if (event.type !== 'agent_message') return [];
  const calls = callsOf(event);
  const reasoning = thinking !== '' && { reasoning_content: thinking };
  return [{ role: 'assistant', content, ...(calls && { tool_calls: calls }), ...reasoning }];
}

function callsOf(event: OrxhestraEvent): ChatMessage['tool_calls'] {
  const { toolCalls } = orxhestraProperties(event);
  if (toolCalls.length === 0) return undefined;
  return toolCalls.map(({ tool_call_id: id, tool_name: name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: jsonOf(args) },
  }));
}

/**
 * Returns the event of a chat message, with its text, reasoning and calls.
 *
 * @param stamp Id and time of the event, and more fields such as its branch. A chat does not name the tool of a result:
 *   pass the names by the ids of the calls.
 */
export function eventOfChatMessage(
  message: Fields,
  stamp: Pick<OrxhestraEvent, 'id' | 'timestamp'> & Partial<OrxhestraEvent>,
  toolNames: ReadonlyMap<string, string> = new Map(),
): OrxhestraEvent {
  const content = stringOf(message['content']) ?? '';
  const texts: readonly OrxhestraPart[] = content === '' ? [] : [{ type: 'text', text: content, metadata: {} }];
  const event = (type: OrxhestraEvent['type'], author: string, parts: readonly OrxhestraPart[]): OrxhestraEvent =>
    newOrxhestraEvent({ type, author, ...stamp, content: { role: null, parts } });
  if (message['role'] === 'tool') {
    const id = stringOf(message['tool_call_id']) ?? '';
    const call = { tool_call_id: id, tool_name: toolNames.get(id) ?? '' };
    const author = stamp.agent_name ?? '';
    return event('tool_response', author, [
      { type: 'tool_response', ...call, result: content, error: null, metadata: {} },
    ]);
  }
  if (message['role'] !== 'assistant') return event('user_message', 'user', texts);
  const reasoning = stringOf(message['reasoning_content']) ?? '';
  const thinking: readonly OrxhestraPart[] =
    reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, metadata: {} }];
  const calls = [...thinking, ...texts, ...callParts(message['tool_calls'])];
  return event('agent_message', stamp.agent_name ?? '', calls);
}

function callParts(calls: unknown): readonly OrxhestraPart[] {
  const list: readonly unknown[] = Array.isArray(calls) ? calls : [];
  return list.map((call): OrxhestraPart => {
    const { id, function: called } = fieldsOf(call) ?? {};
    const { name, arguments: written } = fieldsOf(called) ?? {};
    const args = fieldsOf(parseJson(stringOf(written) ?? '{}')) ?? {};
    const named = { tool_call_id: stringOf(id) ?? '', tool_name: stringOf(name) ?? '' };
    return { type: 'tool_call', ...named, args, metadata: {} };
  });
}

/** Returns JSON; numbers that were parsed exactly are rounded, as in every chat. */
function jsonOf(value: Fields): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}
