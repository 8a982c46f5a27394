import { fieldsOf, integerOf, stringOf } from '../common/foreign-json.ts';
import type { V0Record } from './tool-calls.ts';

/** Returns the recall observation of each user message, by the index of the message. */
export function recallsOf(records: readonly V0Record[]): ReadonlyMap<number, V0Record> {
  const byId = new Map<number, V0Record>();
  const recalls = new Set<unknown>();
  let message: number | undefined;
  for (const [index, record] of records.entries()) {
    const { action, observation, source, id, cause } = record;
    if (action === 'message' && source === 'user') message = index;
    else if (action === 'recall' && id !== undefined) recalls.add(id);
    else if (observation === 'recall' && message !== undefined && (cause === undefined || recalls.has(cause))) {
      if (!byId.has(message)) byId.set(message, record);
    }
  }
  return byId;
}

/**
 * Returns the indices of actions that waited for a confirmation and were recorded again with its answer: the later copy
 * is the one that counts.
 */
export function supersededIndices(records: readonly V0Record[]): readonly number[] {
  const open = new Map<string, number>();
  const superseded: number[] = [];
  for (const [index, record] of records.entries()) {
    const metadata = fieldsOf(record['tool_call_metadata']);
    const call = stringOf(metadata?.['tool_call_id']);
    if (call === undefined) continue;
    if (typeof record['action'] !== 'string') open.delete(call);
    else {
      const earlier = open.get(call);
      if (earlier !== undefined && isCopy(records[earlier], record)) superseded.push(earlier);
      open.set(call, index);
    }
  }
  return superseded;
}

function isCopy(earlier: V0Record | undefined, { action, args }: V0Record): boolean {
  const state = fieldsOf(args)?.['confirmation_state'];
  const wasWaiting = fieldsOf(earlier?.['args'])?.['confirmation_state'] === 'awaiting_confirmation';
  return earlier?.['action'] === action && wasWaiting && state !== 'awaiting_confirmation';
}

/** Events of a delegate: the records between the action that starts it and the observation that ends it. */
export interface DelegateSpan {
  /** Index of its first record. */
  readonly start: number;
  /** Index after its last record. */
  readonly end: number;
}

/** Returns the outermost spans of delegates. A delegate without an observation has none: V0 hides nothing of it. */
export function delegateSpans(records: readonly V0Record[]): readonly DelegateSpan[] {
  const starts = new Map<unknown, number>();
  const spans: DelegateSpan[] = [];
  for (const [index, { action, observation, id, cause, tool_call_metadata: metadata }] of records.entries()) {
    const call = fieldsOf(metadata)?.['tool_call_id'];
    if (action === 'delegate') {
      if (integerOf(id) !== undefined) starts.set(id, index);
      if (call !== undefined) starts.set(call, index);
    }
    const start = observation === 'delegate' ? (starts.get(call) ?? starts.get(cause)) : undefined;
    if (start === undefined || start + 1 >= index) continue;
    // An outer span replaces the inner ones that it contains, and spans do not overlap.
    while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
    if ((spans.at(-1)?.end ?? -1) <= start) spans.push({ start: start + 1, end: index });
  }
  return spans;
}
