import type { BaseEvent, Stamp } from '@varve/events';
import type { Payload } from '@varve/events/payloads';
import { integerOf, stringOf, type Fields } from '../common/foreign-json.ts';
import type { V0Record } from './record.ts';

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
  /** Ids of the summaries of earlier condensations. */
  readonly summaryIds: string[] = [];
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
    const own = integerOf(record['id']);
    if (own !== undefined) this.#events.set(own, id);
  }

  /** Remembers the call of a record. */
  addCall(record: V0Record, call: ReadCall): void {
    const own = integerOf(record['id']);
    if (own !== undefined) this.#calls.set(own, call);
    this.#callsByToolCall.set(call.toolCallId, call);
  }

  /** Returns the call that a record answers: the one with its tool call id, else its cause. */
  callOf(record: V0Record, toolCallId: string | undefined): ReadCall | undefined {
    const cause = integerOf(record['cause']);
    const caused = cause === undefined ? undefined : this.#calls.get(cause);
    if (caused && (toolCallId === undefined || caused.toolCallId === toolCallId)) return caused;
    return toolCallId === undefined ? undefined : this.#callsByToolCall.get(toolCallId);
  }

  /** Returns the ids of the events of the records from `first` to `last`, both inclusive. */
  eventsBetween(first: number, last: number): readonly string[] {
    return [...this.#events].flatMap(([own, id]) => (own >= first && own <= last ? [id] : []));
  }

  /** Returns the id of the event of a record. */
  eventOf(own: unknown): string | undefined {
    return typeof own === 'number' ? this.#events.get(own) : undefined;
  }
}

/** Returns the source of a record; those of varve that V0 lacks never occur in it. */
export function sourceOf({ source }: V0Record): 'agent' | 'user' | 'environment' {
  const found = stringOf(source);
  return found === 'agent' || found === 'user' ? found : 'environment';
}
