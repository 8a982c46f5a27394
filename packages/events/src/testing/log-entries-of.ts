import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import { isOpaque } from '../opaque-event.ts';
import type { LogEntry } from '../fold/timeline.ts';

/** Returns the entries of a log with these events. */
export function logEntriesOf(codec: EventCodec, events: readonly BaseEvent[]): readonly LogEntry[] {
  return events.map((event, seq) => ({
    seq,
    id: event.id,
    kind: isOpaque(event) ? event.wireKind : event.kind,
    parentId: event.parent_id,
    text: codec.encode(event),
  }));
}
