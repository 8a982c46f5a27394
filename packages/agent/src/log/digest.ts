import { createHash, hash } from 'node:crypto';
import type { Message } from '@varve/events';
import type { ModelParameters, ToolSpec } from '@varve/llm';

/** Hex SHA-256 of a text. */
export function digestOf(text: string): string {
  return hash('sha256', text);
}

/** Hex SHA-256 of the JSON of a value, keys in insertion order. */
export function digestOfJson(value: ModelParameters | readonly ToolSpec[]): string {
  return digestOf(JSON.stringify(value));
}

/**
 * Returns a function that digests lists of messages: the SHA-256 over the digests of the single messages, in order.
 * Each message object is hashed once, and a list that extends the previous one costs only its new messages. The last
 * message may be a different one next time.
 */
export function messageDigester(): (messages: readonly Message[]) => string {
  /** One character per byte: 48 bytes of memory, and as a `Buffer` 300. */
  const known = new WeakMap<Message, string>();
  const digestOne = (message: Message): string => {
    const digest = known.get(message) ?? hash('sha256', JSON.stringify(message), 'binary');
    known.set(message, digest);
    return digest;
  };
  let hashed: Message[] = [];
  let running = createHash('sha256');
  return (messages) => {
    if (!isProperPrefix(hashed, messages)) {
      hashed = [];
      running = createHash('sha256');
    }
    const added = messages.slice(hashed.length, -1);
    // One update: a call for each message takes longer than hashing it.
    running.update(added.map(digestOne).join(''), 'binary');
    for (const message of added) hashed.push(message);
    const all = running.copy();
    for (const message of messages.slice(-1)) all.update(digestOne(message), 'binary');
    return all.digest('hex');
  };
}

function isProperPrefix(known: readonly Message[], messages: readonly Message[]): boolean {
  if (known.length >= messages.length) return false;
  for (let index = 0; index < known.length; index++) if (known[index] !== messages[index]) return false;
  return true;
}
