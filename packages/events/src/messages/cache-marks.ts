import type { Content } from '../content.ts';
import type { Message } from '../message.ts';

/**
 * Sets the marks for providers with explicit prompt caches and removes all others: on the first block of a leading
 * system message, so that conversations share the static prompt, and on the last block of the last message of the user
 * or a tool, so that the next request reuses this one. Unchanged messages are the same objects. Digests of requests do
 * not include marks, which are not part of the conversation.
 *
 * @see software-agent-sdk, which sets the same two marks on the copies that it sends, and fails on a last message
 * without blocks; here that message has no mark
 */
export function withCacheMarks(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  return messages.map((message, index) => {
    const isPrompt = index === 0 && message.role === 'system';
    const block = isPrompt ? 0 : index === last ? message.content.length - 1 : -1;
    return withMarkOn(message, block);
  });
}

function withMarkOn(message: Message, marking: number): Message {
  const isRight = message.content.every(({ cache_prompt: mark }, index) => mark === (index === marking));
  if (isRight) return message;
  const content = message.content.map((block, index): Content => ({ ...block, cache_prompt: index === marking }));
  return { ...message, content };
}
