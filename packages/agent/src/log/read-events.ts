import type { BaseEvent, EventCodec } from '@varve/events';
import type { Stored } from '@varve/storage';

/** An event as it lies in the log, read. */
export interface LoggedEvent {
  readonly seq: number;
  /** Opaque when its kind is unknown here or its fields are broken; nothing is left out. */
  readonly event: BaseEvent;
  /** The exact stored JSON. */
  readonly text: string;
}

/** Reads stored events one by one. */
export async function* readEvents(stored: AsyncIterable<Stored>, codec: EventCodec): AsyncIterable<LoggedEvent> {
  for await (const { seq, text } of stored) yield { seq, text, event: codec.read(text) };
}
