import { cachedWire, type WireCache } from '../protocol/written-once.ts';
import type { CacheControl, WireMessage, WirePart } from './wire-request.ts';

/** Providers reject a request with more. */
const mostMarks = 4;

const mark: { readonly cache_control: CacheControl } = { cache_control: { type: 'ephemeral' } };

/**
 * Messages with the ends of the prefixes marked that a provider shall keep: the first system block, which conversations
 * share, and the last message of user or tool, which the next request of this one begins with. Marks that messages carry
 * already are kept instead, the newest four. The first message is marked once per cache, so that bodies begin with the same.
 */
export function withCacheMarks(messages: readonly WireMessage[], cache?: WireCache): readonly WireMessage[] {
  const marked = messages.flatMap(({ content }) => partsIn(content).filter((part) => part.cache_control)).length;
  if (marked > 0) return marked > mostMarks ? withoutMarks(messages, marked - mostMarks) : messages;
  const system = messages.findIndex(({ role }) => role === 'system');
  const last = messages.findLastIndex(({ role, content }) => role === 'user' || (role === 'tool' && content !== ''));
  return messages.map((message, index) => {
    if (index === system) return cachedWire(cache, message, () => atPart(message, 'first'));
    return index === last ? atPart(message, 'last') : message;
  });
}

function partsIn(content: WireMessage['content']): readonly WirePart[] {
  return typeof content === 'object' && content !== null ? content : [];
}

/** Empty text must not be marked, so a message without words stays as it is. */
function atPart(message: WireMessage, place: 'first' | 'last'): WireMessage {
  const { content } = message;
  const parts: readonly WirePart[] =
    typeof content === 'string' && content.trim() !== '' ? [{ type: 'text', text: content }] : partsIn(content);
  if (parts.length === 0) return message;
  const at = place === 'first' ? 0 : parts.length - 1;
  return { ...message, content: parts.map((part, index) => (index === at ? { ...part, ...mark } : part)) };
}

function withoutMarks(messages: readonly WireMessage[], excess: number): readonly WireMessage[] {
  let left = excess;
  const unmarked = (part: WirePart): WirePart => {
    if (!part.cache_control || left === 0) return part;
    left -= 1;
    const { cache_control: _mark, ...bare } = part;
    return bare;
  };
  return messages.map((message) =>
    left > 0 && typeof message.content === 'object' && message.content !== null
      ? { ...message, content: message.content.map(unmarked) }
      : message,
  );
}
