import type { Stored } from '../contract/log-reader.ts';
import type { NewEvent } from '../contract/log.ts';

/** Options of `newEvent`. */
interface NewEventOptions {
  readonly parentId?: string;
  /** Content of the text, to make it differ. */
  readonly note?: string;
  /** Replaces the text; it then does not contain the fields, so a store may reject it. */
  readonly text?: string;
}

/** Returns an event whose text has odd spaces, escapes and key order, which a store must not change. */
export function newEvent(id: string, { parentId, note = '', text }: NewEventOptions = {}): NewEvent {
  const parent = parentId === undefined ? '' : `"parent_id" :${JSON.stringify(parentId)},`;
  const fields = `"note": ${JSON.stringify(note)},${parent}"kind":"MessageEvent" ,"id":${JSON.stringify(id)}`;
  return { id, kind: 'MessageEvent', parentId, text: text ?? ` { "b":1.0,"a":"\\u0000 é",${fields}}\r\n\t` };
}

/** Returns events `e<from>` to `e<to - 1>`. */
export function newEvents(from: number, to: number): NewEvent[] {
  return Array.from({ length: to - from }, (_, index) => newEvent(`e${from + index}`));
}

/** Returns the ids of events, in order. */
export async function idsOf(events: AsyncIterable<Stored> | readonly Stored[]): Promise<string[]> {
  return (await Array.fromAsync(events)).map(({ id }) => id);
}
