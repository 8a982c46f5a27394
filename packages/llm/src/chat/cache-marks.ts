import { cachedWire, type WireCache } from '../protocol/wire-form.ts';
import type { CacheControl, WireMessage, WirePart } from './wire-request.ts';

/** Providers reject a request with more. */
const maxMarks = 4;

/** Field of a marked part. */
export const cacheMark: { readonly cache_control: CacheControl } = { cache_control: { type: 'ephemeral' } };

/**
 * Returns messages with marks at the ends of the prefixes that a provider stores: the first system block, which
 * conversations share, and the last message of user or tool, which is part of the next request's prefix. When messages
 * have marks already, the newest four of those are kept instead. The system message is marked once per cache, so that
 * it stays the same object.
 */
export function withCacheMarks(messages: readonly WireMessage[], cache?: WireCache): readonly WireMessage[] {
  const marked = messages.flatMap(({ content }) => partsIn(content).filter((part) => part.cache_control)).length;
  if (marked > 0) return marked > maxMarks ? withoutMarks(messages, marked - maxMarks) : messages;
  const system = messages.findIndex(({ role }) => role === 'system');
  const last = messages.findLastIndex(({ role, content }) => role === 'user' || (role === 'tool' && content !== ''));
  return messages.map((message, index) => {
    if (index === system) return cachedWire(cache, message, () => withMark(message, 'first'));
    return index === last ? withMark(message, 'last') : message;
  });
}

function partsIn(content: WireMessage['content']): readonly WirePart[] {
  return typeof content === 'object' && content !== null ? content : [];
}

/** A message without text stays unchanged, because blank text must not be marked. */
function withMark(message: WireMessage, place: 'first' | 'last'): WireMessage {
  const { content } = message;
  const parts: readonly WirePart[] =
    typeof content === 'string' && content.trim() !== '' ? [{ type: 'text', text: content }] : partsIn(content);
  if (parts.length === 0) return message;
  const at = place === 'first' ? 0 : parts.length - 1;
  return { ...message, content: parts.map((part, index) => (index === at ? { ...part, ...cacheMark } : part)) };
}

/** Removes the oldest marks. */
function withoutMarks(messages: readonly WireMessage[], excess: number): readonly WireMessage[] {
  let remaining = excess;
  const unmarked = (part: WirePart): WirePart => {
    if (!part.cache_control || remaining === 0) return part;
    remaining -= 1;
    const { cache_control: _mark, ...bare } = part;
    return bare;
  };
  return messages.map((message) =>
    remaining > 0 && typeof message.content === 'object' && message.content !== null
      ? { ...message, content: message.content.map(unmarked) }
      : message,
  );
}
