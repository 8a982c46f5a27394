import { createHash } from 'node:crypto';
import type { Message } from '@varve/events';
import type { ModelParameters, ToolSpec } from '@varve/llm';

/** Hex SHA-256 of a text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Hex SHA-256 of the JSON of a value, keys in the order they stand. */
export function digestOfJson(value: ModelParameters | readonly ToolSpec[]): string {
  return digestOf(JSON.stringify(value));
}

/**
 * Digests lists of messages: the SHA-256 over the digests of the single messages, in order. Each message object is hashed
 * once, so that a request costs what is new in it.
 */
export function messageDigester(): (messages: readonly Message[]) => string {
  const known = new WeakMap<Message, Buffer>();
  return (messages) => {
    const all = createHash('sha256');
    for (const message of messages) {
      let digest = known.get(message);
      if (!digest) {
        digest = createHash('sha256').update(JSON.stringify(message)).digest();
        known.set(message, digest);
      }
      all.update(digest);
    }
    return all.digest('hex');
  };
}
