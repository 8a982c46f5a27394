import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';
import { newEvent, textPart, type Event, type Part } from './event.ts';
import { argumentsOf } from '../common/generic-tool.ts';
import { allDataOf, textOfEvent, thinkingOf, toolCallsOf, toolResponsesOf } from './properties.ts';

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
export function chatMessageOf(event: Event): ChatMessage {
  const [response] = toolResponsesOf(event);
  if (event.type === 'user_message') return { role: 'user', content: textOfEvent(event) };
  if (event.type === 'tool_response') {
    const content = response?.error ?? response?.result ?? '';
    return { role: 'tool', content, tool_call_id: response?.tool_call_id ?? '' };
  }
  const calls = callsOf(event);
  return { role: 'assistant', content: calls ? '' : textOfEvent(event), ...(calls && { tool_calls: calls }) };
}

/** Returns the messages of an event with all of its text, thinking, data, calls and results. */
export function chatMessagesOf(event: Event): readonly ChatMessage[] {
  const content = [textOfEvent(event), ...allDataOf(event).map(jsonOf)].filter(Boolean).join('\n');
  if (event.type === 'user_message') return [{ role: 'user', content }];
  if (event.type === 'tool_response') {
    const results = toolResponsesOf(event);
    return results.map(({ tool_call_id, result, error }) => ({ role: 'tool', content: error ?? result, tool_call_id }));
  }
  if (event.type !== 'agent_message') return [];
  const [calls, thinking] = [callsOf(event), thinkingOf(event)];
  const reasoning = thinking !== '' && { reasoning_content: thinking };
  return [{ role: 'assistant', content, ...(calls && { tool_calls: calls }), ...reasoning }];
}

function callsOf(event: Event): ChatMessage['tool_calls'] {
  const calls = toolCallsOf(event);
  if (calls.length === 0) return undefined;
  return calls.map(({ tool_call_id: id, tool_name: name, args }) => ({
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
  stamp: Pick<Event, 'id' | 'timestamp'> & Partial<Event>,
  toolNames: ReadonlyMap<string, string> = new Map(),
): Event {
  const content = stringOf(message['content']) ?? '';
  const texts = content === '' ? [] : [textPart(content)];
  const event = (type: Event['type'], author: string, parts: readonly Part[]): Event =>
    newEvent({ type, author, ...stamp, content: { role: null, parts } });
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
  const thinking: readonly Part[] = reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, metadata: {} }];
  const calls = [...thinking, ...texts, ...callParts(message['tool_calls'])];
  return event('agent_message', stamp.agent_name ?? '', calls);
}

function callParts(calls: unknown): readonly Part[] {
  const list: readonly unknown[] = Array.isArray(calls) ? calls : [];
  return list.map((call): Part => {
    const { id, function: called } = fieldsOf(call) ?? {};
    const { name, arguments: written } = fieldsOf(called) ?? {};
    const args = argumentsOf({ arguments: stringOf(written) ?? '{}' });
    const named = { tool_call_id: stringOf(id) ?? '', tool_name: stringOf(name) ?? '' };
    return { type: 'tool_call', ...named, args, metadata: {} };
  });
}

/** Returns JSON; numbers that were parsed exactly are rounded, as in every chat. */
function jsonOf(value: Fields): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}
