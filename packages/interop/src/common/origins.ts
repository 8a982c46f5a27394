import { type BaseEvent, isOpaque } from '@varve/events';
import { originFact, isFact } from '@varve/events/facts';
import { applyDifferences, byIndex, type Differences } from './differences.ts';
import { fieldsOf, type Fields } from './foreign-json.ts';

/** Differences of the records of an import, by what they belong to. */
interface Origins {
  /** By the id of the event that was read from the records. */
  readonly of: ReadonlyMap<string, Differences>;
  /** Of records without an event, by the id of the fact. */
  readonly alone: ReadonlyMap<string, Differences>;
}

/** Returns the differences of a format in a log. */
export function originsOf(events: readonly BaseEvent[], format: string): Origins {
  const of = new Map<string, Differences>();
  const alone = new Map<string, Differences>();
  for (const event of events) {
    const origin = originFact.read(event);
    if (origin?.format !== format) continue;
    if (origin.event_id === undefined) alone.set(event.id, origin);
    else of.set(origin.event_id, origin);
  }
  return { of, alone };
}

/**
 * Returns the records of an event as they were read.
 *
 * @param written Returns the records that varve writes; called for every event that is not a record itself.
 */
export function recordsOf(
  event: BaseEvent,
  { of, alone }: Origins,
  written: (event: BaseEvent) => readonly object[],
): readonly Fields[] {
  const difference = alone.get(event.id);
  const records = difference ? [] : written(event);
  const differences = difference ?? of.get(event.id);
  if (!differences) return records.map((record) => ({ ...record }));
  const changed = fieldsOf(applyDifferences(byIndex(records), differences)) ?? {};
  return Object.values(changed).flatMap((record): Fields | readonly Fields[] => fieldsOf(record) ?? []);
}

/** Returns the object that the last fact of a format holds; undefined without one. */
export function lastOrigin(events: readonly BaseEvent[], format: string): Fields | undefined {
  const origin = events.map((event) => originFact.read(event)).findLast((fact) => fact?.format === format);
  return origin && fieldsOf(applyDifferences({}, origin));
}

/** Content that a format cannot hold. */
export interface Dropped {
  /** Kind of event, key of a fact, or field. */
  readonly subject: string;
  /** Number of its occurrences. */
  readonly count: number;
  /** Reason, as a sentence. */
  readonly reason: string;
}

/** Counts dropped content by subject and reason. */
export class DroppedCounter {
  readonly #counts = new Map<string, Dropped>();

  add(subject: string, reason: string, count = 1): void {
    const key = JSON.stringify([subject, reason]);
    this.#counts.set(key, { subject, reason, count: (this.#counts.get(key)?.count ?? 0) + count });
  }

  /** Returns the counts in the order of their first occurrence. */
  list(): readonly Dropped[] {
    return [...this.#counts.values()];
  }
}

/** Returns the name of an event that is left out: its kind with the key that it changes, or the key of its fact. */
export function subjectOf(event: BaseEvent): string {
  if (isOpaque(event)) return event.wireKind === '' ? 'an unreadable event' : event.wireKind;
  if (isFact(event)) return event.key;
  const key = fieldsOf(event)?.['key'];
  return typeof key === 'string' ? `${event.kind} ${key}` : event.kind;
}
