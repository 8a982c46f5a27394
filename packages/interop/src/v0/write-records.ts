import type { BaseEvent } from '@varve/events';
import { originsOf, recordsOf, type Dropped } from '../common/origins.ts';
import { inKeyOrder, type V0Record } from './tool-calls.ts';
import { RecordWriter } from './record-writer.ts';

/** Name of the format in facts. */
export const v0Format = 'openhands-v0';

/** V0 records of a log. */
export interface WrittenRecords {
  readonly records: readonly V0Record[];
  readonly dropped: readonly Dropped[];
}

/**
 * Writes the events of one branch as V0 records. Records of an import are written as they were read; a record of a call
 * contains a `model_response` that is rebuilt from the log, with the mark `varve_rebuilt`.
 */
export function writeRecords(events: readonly BaseEvent[]): WrittenRecords {
  const origins = originsOf(events, v0Format);
  const writer = new RecordWriter(events);
  const records = events.flatMap((event) => {
    const written = recordsOf(event, origins, (entry) => writer.next(entry)).map(inKeyOrder);
    writer.commit(origins.alone.has(event.id) ? undefined : event, written);
    return written;
  });
  return { records, dropped: writer.dropped.list() };
}
