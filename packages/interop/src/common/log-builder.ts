import { EventError, timestampAfter, type BaseEvent, type Stamp } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogEntry } from '@varve/events/projections';
import { fieldsOf, stringOf } from './foreign-json.ts';

/** Kinds of events, and whether a later event follows one of them. */
export const movesHead = new Map(builtinKinds.map((kind) => [kind.kind as string, kind.movesHead]));

/** Builds the log of an import: each event follows the one before it, and times never go back. */
export class LogBuilder {
  readonly entries: LogEntry[];
  readonly #newId: () => string;
  #parentId: string | undefined;
  #timestamp = '';

  /** @param entries Log to continue; it is copied. */
  constructor(newId: () => string, entries: readonly LogEntry[] = []) {
    this.#newId = newId;
    this.entries = [...entries];
    this.#parentId = entries.findLast(({ kind }) => movesHead.get(kind) !== false)?.id;
    const last = entries.at(-1);
    this.#timestamp = last ? (stringOf(fieldsOf(JSON.parse(last.text))?.['timestamp']) ?? '') : '';
  }

  /**
   * Appends the event that `make` returns for a stamp. Returns undefined, and appends nothing, if the content cannot be
   * an event.
   *
   * @param time Foreign time, as for `timestampAfter`.
   * @param id Default a new one.
   */
  add<Event extends BaseEvent>(
    time: string | number,
    make: (stamp: Stamp) => Event,
    id: string = this.#newId(),
  ): Event | undefined {
    const timestamp = timestampAfter(time, this.#timestamp);
    const parent = this.#parentId;
    try {
      const event = make({ id, timestamp, ...(parent !== undefined && { parent_id: parent }) });
      const { kind, parent_id: parentId } = event;
      this.entries.push({ seq: this.entries.length, id, kind, parentId, text: JSON.stringify(event) });
      this.#timestamp = timestamp;
      if (movesHead.get(kind) !== false) this.#parentId = id;
      return event;
    } catch (error) {
      if (error instanceof EventError) return undefined;
      throw error;
    }
  }
}
