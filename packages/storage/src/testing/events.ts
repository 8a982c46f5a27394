import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';

/** What an event may be besides its id. */
interface NewEventOptions {
  readonly parentId?: string;
  /** Makes the text another one. */
  readonly note?: string;
  /** Instead of a text that says what the fields say: only where the store may refuse it. */
  readonly text?: string;
}

/** An event to append, with a text that a store must not touch: odd spaces, escapes, key order. */
export function newEvent(id: string, { parentId, note = '', text }: NewEventOptions = {}): NewEvent {
  const parent = parentId === undefined ? '' : `"parent_id" :${JSON.stringify(parentId)},`;
  const fields = `"note": ${JSON.stringify(note)},${parent}"kind":"MessageEvent" ,"id":${JSON.stringify(id)}`;
  return { id, kind: 'MessageEvent', parentId, text: text ?? ` { "b":1.0,"a":"\\u0000 é",${fields}}\r\n\t` };
}

/** Events `e<from>` to `e<to - 1>`. */
export function newEvents(from: number, to: number): NewEvent[] {
  return Array.from({ length: to - from }, (_, index) => newEvent(`e${from + index}`));
}

/** The ids of events, in order. */
export async function idsOf(events: AsyncIterable<Stored> | readonly Stored[]): Promise<string[]> {
  return (await Array.fromAsync(events)).map(({ id }) => id);
}
