import type { BaseEvent } from '@varve/events';
import { originFact } from '@varve/events/facts';
import { applyDifferences, byIndex, noDifferences, type Differences } from '../common/differences.ts';
import type { Dropped } from '../common/dropped.ts';
import { fieldsOf } from '../common/foreign-json.ts';
import { inKeyOrder, type V0Record } from './record.ts';
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
  const differences = new Map<string, Differences>();
  for (const event of events) {
    const origin = originFact.read(event);
    if (origin?.format === v0Format && origin.event_id !== undefined) differences.set(origin.event_id, origin);
  }
  const writer = new RecordWriter(events);
  const records = events.flatMap((event) => {
    const origin = originFact.read(event);
    const isAlone = origin?.format === v0Format && origin.event_id === undefined;
    const difference = isAlone ? origin : (differences.get(event.id) ?? noDifferences);
    const written = applyToRecords(writer.next(event), difference);
    writer.commit(isAlone ? undefined : event, written);
    return written;
  });
  return { records, dropped: writer.dropped.list() };
}

/** Applies differences, whose paths start with the index of a record. */
function applyToRecords(records: readonly V0Record[], differences: Differences): readonly V0Record[] {
  if (differences === noDifferences) return records;
  const changed = fieldsOf(applyDifferences(byIndex(records), differences)) ?? {};
  return Object.values(changed).flatMap((record) => {
    const fields = fieldsOf(record);
    return fields ? [inKeyOrder(fields)] : [];
  });
}
