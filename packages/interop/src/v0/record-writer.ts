import { isOpaque, type BaseEvent } from '@varve/events';
import { callFact, originFact } from '@varve/events/facts';
import { ActionEvent, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { repliesOf } from '@varve/events/projections';
import { integerOf, type Fields } from '../common/foreign-json.ts';
import { DroppedCounter, subjectOf } from '../common/origins.ts';
import { Metrics } from './metrics.ts';
import { type LoggedReply, inKeyOrder, type V0Record } from './tool-calls.ts';
import { recordsOf, type WritingContext } from './write-event.ts';

/** Action that was written, for its result. */
export interface WrittenCall {
  readonly id: number;
  readonly record: V0Record;
  readonly event: ActionEvent;
}

const unwritten = 'V0 has no record for it.';

/**
 * Writes events as V0 records, one by one and in order. Records have ids from 0 without gaps, unless differences of an
 * import change them; causes follow the ids.
 */
export class RecordWriter implements WritingContext {
  readonly dropped = new DroppedCounter();
  readonly metrics = new Metrics();
  lastError = '';
  readonly #replies = new Map<string, readonly ActionEvent[]>();
  readonly #facts = new Map<string, NonNullable<ReturnType<typeof callFact.read>>>();
  readonly #ids = new Map<string, number>();
  readonly #calls = new Map<string, WrittenCall>();
  readonly #callsByToolCall = new Map<string, WrittenCall>();
  #next = 0;

  /** @param events All events that will be written, because records of a reply name its other calls. */
  constructor(events: readonly BaseEvent[]) {
    // A state update between two calls would end their reply.
    const steps = events.filter((event) => !ConversationStateUpdateEvent.is(event));
    for (const { calls } of repliesOf(steps)) {
      const actions = calls.map(({ event }) => event);
      for (const { id } of actions) this.#replies.set(id, actions);
    }
  }

  /** Returns the records of the next event, without differences. Pass the final ones to {@link commit}. */
  next(event: BaseEvent): readonly V0Record[] {
    this.metrics.follow(event);
    const call = callFact.read(event);
    if (call) this.#facts.set(call.response_id, call);
    if (call || originFact.read(event)) return [];
    const records = isOpaque(event) ? undefined : recordsOf(event, this);
    if (!records) this.dropped.add(subjectOf(event), unwritten);
    return (records ?? []).map((record, index) => inKeyOrder({ id: this.#next + index, ...this.#linked(record) }));
  }

  /** Remembers the final records of an event, or of none. */
  commit(event: BaseEvent | undefined, records: readonly V0Record[]): void {
    for (const record of records) {
      const id = integerOf(record['id']);
      if (id !== undefined) this.#next = Math.max(this.#next, id + 1);
    }
    const [record] = records;
    const id = integerOf(record?.['id']);
    if (!event || !record || id === undefined) return;
    this.#ids.set(event.id, id);
    if (!ActionEvent.is(event)) return;
    const call = { id, record, event };
    this.#calls.set(event.id, call);
    this.#callsByToolCall.set(event.tool_call_id, call);
  }

  idOf(eventId: string): number | undefined {
    return this.#ids.get(eventId);
  }

  callOf(actionId: string | undefined, toolCallId: string): WrittenCall | undefined {
    return this.#calls.get(actionId ?? '') ?? this.#callsByToolCall.get(toolCallId);
  }

  replyOf(event: ActionEvent): LoggedReply {
    const call = this.#facts.get(event.llm_response_id);
    const { model } = this.metrics;
    return {
      actions: this.#replies.get(event.id) ?? [event],
      ...(model !== undefined && { model }),
      ...(call && { call }),
    };
  }

  /** Replaces a cause that counts from the next id by the id itself. */
  #linked({ causeOffset, ...record }: V0Record): Fields {
    const offset = integerOf(causeOffset);
    return offset === undefined ? record : { ...record, cause: this.#next + offset };
  }
}
