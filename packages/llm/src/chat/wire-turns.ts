import type { Dialect } from '../dialects/dialect.ts';
import { wireCallId } from '../dialects/call-ids.ts';
import type { WireMessage, WirePart } from './wire-request.ts';

/**
 * Returns messages in the order and with the call ids that a server accepts. Content and calls stay unchanged, and
 * messages that need no change are the same objects. The last message is never the assistant's: models with reasoning,
 * and many templates, reject a reply that the request has started.
 */
export function wireTurns(messages: readonly WireMessage[], dialect: Dialect): readonly WireMessage[] {
  let turns = messages;
  if (dialect.system === 'first') turns = withSystemFirst(turns);
  if (dialect.afterResults === 'assistant') turns = withMessageAfterResults(turns);
  if (dialect.turns === 'alternating') turns = mergeTurns(turns);
  if (dialect.callIds !== 'free') turns = turns.map(withIds(dialect.callIds));
  const last = turns.at(-1);
  const isStartedReply = last?.role === 'assistant' && !last.tool_calls;
  return isStartedReply ? [...turns, { role: 'user', content: 'Please continue.' }] : turns;
}

/** Merges the system messages at the start. Later ones become user messages, because many templates reject them. */
function withSystemFirst(messages: readonly WireMessage[]): readonly WireMessage[] {
  if (messages.findLastIndex(({ role }) => role === 'system') <= 0) return messages;
  const start = messages.findIndex(({ role }) => role !== 'system');
  const leading = start === -1 ? messages : messages.slice(0, start);
  const rest = start === -1 ? [] : messages.slice(start);
  const late = rest.map((each): WireMessage => (each.role === 'system' ? { ...each, role: 'user' } : each));
  return leading.length > 1 ? [leading.reduce(joinMessages), ...late] : [...leading, ...late];
}

function withMessageAfterResults(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.flatMap((message, index): readonly WireMessage[] =>
    message.role === 'user' && messages[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: 'I have the results.' }, message]
      : [message],
  );
}

function mergeTurns(messages: readonly WireMessage[]): readonly WireMessage[] {
  const turns: WireMessage[] = [];
  for (const message of messages) {
    const before = turns.at(-1);
    if (before && isMergeable(before, message)) turns[turns.length - 1] = joinMessages(before, message);
    else turns.push(message);
  }
  const first = turns.findIndex(({ role }) => role !== 'system');
  return turns[first]?.role === 'assistant'
    ? turns.toSpliced(first, 0, { role: 'user', content: 'Please begin.' })
    : turns;
}

/** Tool results and messages with calls stay separate, because a call is answered by the messages after it. */
function isMergeable(before: WireMessage, message: WireMessage): boolean {
  return before.role === message.role && message.role !== 'tool' && !before.tool_calls;
}

function joinMessages(before: WireMessage, after: WireMessage): WireMessage {
  return { ...before, ...after, content: joinContent(before.content, after.content) };
}

function joinContent(before: WireMessage['content'], after: WireMessage['content']): WireMessage['content'] {
  if (isEmptyContent(before)) return after;
  if (isEmptyContent(after)) return before;
  const parts = [...partsOf(before), ...partsOf(after)];
  const isTextOnly = parts.every((part) => part.type === 'text' && !part.cache_control);
  return isTextOnly ? parts.map((part) => ('text' in part ? part.text : '')).join('\n\n') : parts;
}

function isEmptyContent(content: WireMessage['content']): boolean {
  return content === null || content.length === 0;
}

/** Returns the content of a message as parts. */
export function partsOf(content: WireMessage['content']): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function withIds(rule: Dialect['callIds']): (message: WireMessage) => WireMessage {
  return (message) => {
    const { tool_calls: calls, tool_call_id: id } = message;
    if (!calls && id === undefined) return message;
    return {
      ...message,
      ...(calls && { tool_calls: calls.map((call) => ({ ...call, id: wireCallId(call.id, rule) })) }),
      ...(id !== undefined && { tool_call_id: wireCallId(id, rule) }),
    };
  };
}
