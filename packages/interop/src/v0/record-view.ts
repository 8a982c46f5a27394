import { fieldsOf, integerOf, stringOf } from '../common/foreign-json.ts';
import type { V0Record } from './record.ts';

/** Records that a V0 agent sees. */
export interface RecordView {
  readonly records: readonly V0Record[];
  /** True if a condensation was requested and none has followed. */
  readonly isCondensationRequested: boolean;
}

/**
 * Returns the view of V0: the records that no condensation forgot, and the newest summary at its place, as a `condense`
 * observation without an id.
 *
 * @see OpenHands memory/view.py
 */
export function viewOfRecords(records: readonly V0Record[]): RecordView {
  const forgotten = new Set<unknown>();
  let summary: { readonly text: string; readonly offset: number } | undefined;
  let isCondensationRequested = false;
  for (const { action, args } of records) {
    if (action === 'condensation_request') isCondensationRequested = true;
    if (action !== 'condensation') continue;
    isCondensationRequested = false;
    const fields = fieldsOf(args) ?? {};
    for (const id of forgottenIds(fields, records)) forgotten.add(id);
    const text = stringOf(fields['summary']);
    const offset = integerOf(fields['summary_offset']);
    if (text !== undefined && offset !== undefined && offset >= 0) summary = { text, offset };
  }
  const kept = records.filter(
    ({ action, id }) => action !== 'condensation' && action !== 'condensation_request' && !forgotten.has(id),
  );
  if (!summary) return { records: kept, isCondensationRequested };
  const shown = { observation: 'condense', content: summary.text, extras: {} };
  return { records: kept.toSpliced(summary.offset, 0, shown), isCondensationRequested };
}

/** Returns the ids that a condensation forgets: a list, or those of the records in a range. */
function forgottenIds(args: V0Record, records: readonly V0Record[]): readonly unknown[] {
  const { forgotten_event_ids: ids, forgotten_events_start_id: first, forgotten_events_end_id: last } = args;
  if (Array.isArray(ids)) return ids;
  if (typeof first !== 'number' || typeof last !== 'number') return [];
  return records.flatMap(({ id }) => (typeof id === 'number' && id >= first && id <= last ? [id] : []));
}
