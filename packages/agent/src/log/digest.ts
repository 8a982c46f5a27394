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
 * once, and a list that goes on from the one before costs what is new in it. The last message may be another one next time.
 */
export function messageDigester(): (messages: readonly Message[]) => string {
  const known = new WeakMap<Message, Buffer>();
  const digestOne = (message: Message): Buffer => {
    const digest = known.get(message) ?? createHash('sha256').update(JSON.stringify(message)).digest();
    known.set(message, digest);
    return digest;
  };
  let begun: Message[] = [];
  let hash = createHash('sha256');
  return (messages) => {
    if (begun.length >= messages.length || begun.some((message, index) => message !== messages[index])) {
      begun = [];
      hash = createHash('sha256');
    }
    for (const message of messages.slice(begun.length, -1)) {
      hash.update(digestOne(message));
      begun.push(message);
    }
    const all = hash.copy();
    for (const message of messages.slice(-1)) all.update(digestOne(message));
    return all.digest('hex');
  };
}
