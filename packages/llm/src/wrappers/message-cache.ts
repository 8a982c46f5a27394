import type { Message } from '@varve/events';

/** Cache of messages with inlined images. */
export interface MessageCache {
  get(message: Message): Message | undefined;
  set(message: Message, inline: Message): void;
  /** Removes the least recently used messages until the rest fits, but none of `used`. */
  trim(used: readonly Message[]): void;
}

/**
 * Creates a cache of messages whose images have at most `maxChars` in total. Messages without inlined images do not
 * count and are kept as long as the original message.
 */
export function messageCache(maxChars: number): MessageCache {
  const light = new WeakMap<Message, Message>();
  /** Messages in the order of their last use. */
  const heavy = new Map<Message, Message>();
  let chars = 0;
  return {
    get(message) {
      const inline = heavy.get(message);
      if (!inline) return light.get(message);
      heavy.delete(message);
      heavy.set(message, inline);
      return inline;
    },
    set(message, inline) {
      const size = inline === message ? 0 : sizeOf(inline);
      if (size === 0) {
        light.set(message, inline);
      } else {
        chars += size - sizeOf(heavy.get(message));
        heavy.set(message, inline);
      }
    },
    trim(used) {
      if (chars <= maxChars) return;
      const inUse = new Set(used);
      for (const [message, inline] of heavy) {
        if (chars <= maxChars) return;
        if (inUse.has(message)) continue;
        heavy.delete(message);
        chars -= sizeOf(inline);
      }
    },
  };
}

/** Returns the characters of the images; everything else is small in comparison. */
function sizeOf(message: Message | undefined): number {
  const urls = message?.content.flatMap((block) => (block.type === 'text' ? [] : block.image_urls)) ?? [];
  return urls.reduce((sum, url) => sum + url.length, 0);
}
