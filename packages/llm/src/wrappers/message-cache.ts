import type { Message } from '@varve/events';

/** What messages became, as far as there is room. */
export interface MessageCache {
  get(message: Message): Message | undefined;
  set(message: Message, inline: Message): void;
  /** Forgets those that were not used for the longest time, until the others fit; none of these, which are used now. */
  trim(used: readonly Message[]): void;
}

/** Keeps messages whose images have `maxChars` in all; those without images of their own are kept as long as they live. */
export function messageCache(maxChars: number): MessageCache {
  const light = new WeakMap<Message, Message>();
  /** In the order of their last use. */
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
      const spared = new Set(used);
      for (const [message, inline] of heavy) {
        if (chars <= maxChars) return;
        if (spared.has(message)) continue;
        heavy.delete(message);
        chars -= sizeOf(inline);
      }
    },
  };
}

/** Characters of the images themselves, beside which everything else is small. */
function sizeOf(message: Message | undefined): number {
  const urls = message?.content.flatMap((block) => (block.type === 'text' ? [] : block.image_urls)) ?? [];
  return urls.reduce((sum, url) => sum + url.length, 0);
}
