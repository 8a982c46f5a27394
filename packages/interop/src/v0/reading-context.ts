import type { BaseEvent, Stamp } from '@varve/events';
import type { Payload } from '@varve/events/payloads';
import { integerOf, stringOf, type Fields } from '../common/foreign-json.ts';
import type { V0Record } from './tool-calls.ts';

/** Event to create, with the id that other events refer to. */
export interface EventDraft {
  readonly id: string;
  readonly make: (stamp: Stamp) => BaseEvent;
}

/** Call of an action that was read, for its result. */
export interface ReadCall {
  /** Id of the action's event. */
  readonly id: string;
  readonly toolName: string;
  readonly toolCallId: string;
  readonly action: Payload | undefined;
  readonly args: Fields;
}

/** State of reading one log: records refer to earlier ones. */
export class ReadingContext {
  readonly newId: () => string;
  readonly #calls = new Map<number, ReadCall>();
  readonly #callsByToolCall = new Map<string, ReadCall>();
  readonly #events = new Map<number, string>();
  /** Events that no range has forgotten yet, by the ids of their records in ascending order. */
  readonly #unforgotten: { readonly own: number; readonly id: string }[] = [];
  /** Id of the summary that the model sees; earlier ones are forgotten. */
  summaryId: string | undefined;
  /** JSON of the metrics of the last record that has some. */
  lastMetrics = '';
  /** Contents of recall observations by the index of the user message that they belong to. */
  readonly recalls: ReadonlyMap<number, V0Record>;

  constructor(newId: () => string, recalls: ReadonlyMap<number, V0Record>) {
    this.newId = newId;
    this.recalls = recalls;
  }

  /** Remembers the event of a record. */
  addEvent(record: V0Record, id: string): void {
    const recordId = integerOf(record['id']);
    if (recordId === undefined) return;
    this.#events.set(recordId, id);
    if (recordId > (this.#unforgotten.at(-1)?.own ?? -1)) this.#unforgotten.push({ own: recordId, id });
  }

  /** Remembers the call of a record. */
  addCall(record: V0Record, call: ReadCall): void {
    const id = integerOf(record['id']);
    if (id !== undefined) this.#calls.set(id, call);
    this.#callsByToolCall.set(call.toolCallId, call);
  }

  /** Returns the call that a record answers: the one with its tool call id, else its cause. */
  callOf(record: V0Record, toolCallId: string | undefined): ReadCall | undefined {
    const cause = integerOf(record['cause']);
    const caused = cause === undefined ? undefined : this.#calls.get(cause);
    if (caused && (toolCallId === undefined || caused.toolCallId === toolCallId)) return caused;
    return toolCallId === undefined ? undefined : this.#callsByToolCall.get(toolCallId);
  }

  /**
   * Returns the ids of the events of the records from `first` to `last`, both inclusive, without those that an earlier
   * range contained: many ranges over one log cost no more than the log.
   */
  forgetBetween(first: number, last: number): readonly string[] {
    const start = this.#indexOf(first);
    return this.#unforgotten.splice(start, Math.max(0, this.#indexOf(last + 1) - start)).map(({ id }) => id);
  }

  /** Returns the index of the first unforgotten event of a record with at least this id. */
  #indexOf(id: number): number {
    let [low, high] = [0, this.#unforgotten.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#unforgotten[middle]?.own ?? Infinity) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the id of the event of a record. */
  eventOf(id: unknown): string | undefined {
    return typeof id === 'number' ? this.#events.get(id) : undefined;
  }
}

/** Returns the source of a record; those of varve that V0 lacks never occur in it. */
export function sourceOf({ source }: V0Record): 'agent' | 'user' | 'environment' {
  const sourceText = stringOf(source);
  return sourceText === 'agent' || sourceText === 'user' ? sourceText : 'environment';
}
