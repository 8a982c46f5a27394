import type { BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { HostedConversation } from '@varve/host';
import type { UIMessage, UIMessageChunk } from 'ai';
import { filePart, ReplyChunks } from './reply-chunks.ts';

type Part = UIMessage['parts'][number];

type Events = AsyncIterable<{ readonly event: BaseEvent }>;

/** Returns the messages of a conversation, or of events such as those of `readEvents`, for `useChat`. */
export async function uiMessages(source: Events | HostedConversation): Promise<UIMessage[]> {
  const events: Events = 'conversation' in source ? source.conversation.events() : source;
  const messages: UIMessage[] = [];
  const chunks = new ReplyChunks();
  for await (const { event } of events) {
    if (isUserMessage(event))
      messages.push({ id: event.id, role: 'user', parts: event.llm_message.content.flatMap(userParts) });
    for (const chunk of chunks.event(event)) addChunk(replyIn(messages).parts, chunk);
  }
  return messages;
}

/** Returns true for a message of the user, with which a turn begins. */
export function isUserMessage(event: BaseEvent): event is MessageEvent {
  return MessageEvent.is(event) && event.source === 'user';
}

/** Returns the id of the reply to a message of the user: the same in each stream of it. */
export function replyId(messageId: string | undefined): string {
  return `reply-${messageId ?? 'first'}`;
}

function replyIn(messages: UIMessage[]): UIMessage {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  const reply: UIMessage = { id: replyId(last?.id), role: 'assistant', parts: [] };
  messages.push(reply);
  return reply;
}

function userParts(block: MessageEvent['llm_message']['content'][number]): Part[] {
  return block.type === 'text' ? [{ type: 'text', text: block.text }] : block.image_urls.map(filePart);
}

/** Adds a chunk as `useChat` does. */
function addChunk(parts: Part[], chunk: UIMessageChunk): void {
  const { type } = chunk;
  if (type === 'start-step') parts.push({ type: 'step-start' });
  else if (type === 'file') parts.push({ type, mediaType: chunk.mediaType, url: chunk.url });
  else if (type === 'text-delta') parts.push({ type: 'text', text: chunk.delta, state: 'done' });
  else if (type === 'reasoning-delta') parts.push({ type: 'reasoning', text: chunk.delta, state: 'done' });
  else if (type === 'tool-input-available') {
    const { toolCallId, toolName, input } = chunk;
    parts.push({ type: `tool-${toolName}`, toolCallId, state: 'input-available', input });
  } else if ('toolCallId' in chunk) {
    const call = parts.findLast((part) => 'toolCallId' in part && part.toolCallId === chunk.toolCallId);
    if (call) Object.assign(call, changeOf(chunk));
  } else if (type === 'tool-approval-response') {
    const { approvalId: id, approved, reason } = chunk;
    const call = parts.findLast((part) => 'approval' in part && part.approval?.id === id);
    if (call) Object.assign(call, { approval: { id, approved, reason } });
  }
}

function changeOf(chunk: UIMessageChunk): object {
  if (chunk.type === 'tool-output-available') return { state: 'output-available', output: chunk.output };
  if (chunk.type === 'tool-output-error') return { state: 'output-error', errorText: chunk.errorText };
  if (chunk.type === 'tool-output-denied') return { state: 'output-denied' };
  if (chunk.type !== 'tool-approval-request') return {};
  return { state: 'approval-requested', approval: { id: chunk.approvalId } };
}
