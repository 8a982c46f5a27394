import { eventCodec, type BaseEvent, type Message } from '@varve/events';
import { builtinKinds, Condensation, SystemPromptEvent } from '@varve/events/kinds';
import { foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';
import { DroppedCounter, subjectOf, type Dropped } from '../common/origins.ts';
import { fieldsOf } from '../common/foreign-json.ts';
import { chatContent } from './chat-message.ts';

/** Chat of a conversation: one example of a fine-tuning file. */
export interface WrittenChat {
  readonly messages: readonly object[];
  readonly tools?: readonly object[];
}

const codec = eventCodec(builtinKinds);

/**
 * Returns the messages that a model would receive next: the view of the branch, with its summaries and without what
 * they replaced, so that the chat is one that a provider accepts.
 */
export function writeChat(events: readonly BaseEvent[]): {
  readonly chat: WrittenChat;
  readonly dropped: readonly Dropped[];
} {
  const dropped = new DroppedCounter();
  const view = foldEvents(viewProjection(codec), events);
  const messages = messageBuilder(codec)(view.events).map((message) => chatMessage(message, dropped));
  const tools = toolsOf(events);
  countUnshown(events, view.events, dropped);
  return { chat: { messages, ...(tools.length > 0 && { tools }) }, dropped: dropped.list() };
}

/** Counts the events that are in no message: those that no model reads, and those that a summary replaced. */
function countUnshown(
  events: readonly BaseEvent[],
  visibleEvents: readonly BaseEvent[],
  dropped: DroppedCounter,
): void {
  const ids = new Set(visibleEvents.map(({ id }) => id));
  for (const event of events) {
    if (ids.has(event.id) || Condensation.is(event)) continue;
    const isReplaced = codec.kind(event.kind)?.isForModel === true;
    if (isReplaced) dropped.add('replaced events', 'A chat has the summaries that a model would receive.');
    else dropped.add(subjectOf(event), 'No model reads it.');
  }
}

function chatMessage(message: Message, dropped: DroppedCounter): object {
  const { role, content, tool_calls: calls, tool_call_id, reasoning_content: reasoning, thinking_blocks } = message;
  if (thinking_blocks.length > 0) dropped.add('thinking blocks', 'A chat message has no signed thinking.');
  if (reasoning !== undefined) dropped.add('reasoning', 'A chat message has no reasoning.');
  const messageContent = chatContent(content);
  return {
    role,
    content: calls && messageContent === '' ? null : messageContent,
    ...(calls && { tool_calls: calls.map(chatCall) }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

function chatCall({ id, name, arguments: written }: NonNullable<Message['tool_calls']>[number]): object {
  return { id, type: 'function', function: { name, arguments: written } };
}

/** Returns the tools of the prompt, as far as it contains their schemas. */
function toolsOf(events: readonly BaseEvent[]): readonly object[] {
  const prompt = events.find((event) => SystemPromptEvent.is(event));
  if (!prompt || !SystemPromptEvent.is(prompt)) return [];
  return prompt.tools.flatMap((tool) => {
    const definition = fieldsOf(fieldsOf(tool)?.['mcp_tool']);
    if (typeof definition?.['name'] !== 'string') return [];
    const { name, description = '', inputSchema = {} } = definition;
    return [{ type: 'function', function: { name, description, parameters: inputSchema } }];
  });
}
