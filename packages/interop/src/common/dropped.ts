import { isOpaque, type BaseEvent } from '@varve/events';
import { isFact } from '@varve/events/facts';
import { fieldsOf } from './foreign-json.ts';

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
