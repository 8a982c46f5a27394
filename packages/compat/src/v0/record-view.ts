import { fieldsOf, integerOf, stringOf, type V0Record } from '@varve/interop/records';

/**
 * Returns the view of V0: the records that no condensation forgot, and the newest summary at its place, as a `condense`
 * observation without an id.
 *
 * @see OpenHands memory/view.py
 */
export function viewOfRecords(records: readonly V0Record[]): readonly V0Record[] {
  const forgotten = new Set<unknown>();
  const ranges: Range[] = [];
  let summary: { readonly text: string; readonly offset: number } | undefined;
  for (const { action, args } of records) {
    if (action !== 'condensation') continue;
    const fields = fieldsOf(args) ?? {};
    const { forgotten_event_ids: ids, forgotten_events_start_id: first, forgotten_events_end_id: last } = fields;
    if (Array.isArray(ids)) for (const id of ids) forgotten.add(id);
    else if (typeof first === 'number' && typeof last === 'number') ranges.push({ first, last });
    const text = stringOf(fields['summary']);
    const offset = integerOf(fields['summary_offset']);
    if (text !== undefined && offset !== undefined && offset >= 0) summary = { text, offset };
  }
  const isInRange = rangeTest(ranges);
  const kept = records.filter(({ action, id }) => {
    const isForgotten = forgotten.has(id) || (typeof id === 'number' && isInRange(id));
    return action !== 'condensation' && action !== 'condensation_request' && !isForgotten;
  });
  if (!summary) return kept;
  const summaryRecord = { observation: 'condense', content: summary.text, extras: {} };
  return kept.toSpliced(summary.offset, 0, summaryRecord);
}

/** Ids from `first` to `last`, both inclusive. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** Returns a test of whether a range contains an id; its cost does not depend on the number of ranges that overlap. */
function rangeTest(ranges: readonly Range[]): (id: number) => boolean {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (!before || range.first > before.last) merged.push(range);
    else if (range.last > before.last) merged[merged.length - 1] = { first: before.first, last: range.last };
  }
  return (id) => {
    let [low, high] = [0, merged.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((merged[middle]?.last ?? Infinity) < id) low = middle + 1;
      else high = middle;
    }
    return (merged[low]?.first ?? Infinity) <= id;
  };
}
