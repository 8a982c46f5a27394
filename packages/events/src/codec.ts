import type { BaseEvent, EventKind } from './define-event.ts';
import { EventError } from './error.ts';
import { isOpaque, opaqueEvent, type OpaqueEvent } from './opaque-event.ts';
import { scanForLoss } from './json.ts';

/** The events a definition makes. */
export type EventOfKind<Kind> = Kind extends { create(...input: never): infer Made extends BaseEvent } ? Made : never;

/** Turns stored text into events and back, for one fixed set of kinds. */
export interface EventCodec<Event extends BaseEvent = BaseEvent> {
  /**
   * An unknown kind becomes an {@link OpaqueEvent}; unknown fields and payloads are kept on the event. Numbers are JavaScript
   * numbers: `8.0` is written again as `8`, so copy stored text rather than encode it anew.
   *
   * @throws {EventError} `not-json`, `not-an-event`, or `invalid` when a known kind breaks its schema.
   */
  decode(text: string): Event | OpaqueEvent;
  /** Never throws: what {@link decode} rejects becomes an {@link OpaqueEvent} with its `problem`. */
  read(text: string): Event | OpaqueEvent;
  /** Compact JSON. An event that was created has its fields in wire order; an opaque event gives its text back. */
  encode(event: BaseEvent): string;
  kind(name: string): EventKind | undefined;
}

/**
 * A codec for the given kinds; pass `[...builtinKinds, myKind]` to add your own. There is no global registry. Two kinds of
 * one name are a mistake in the program: a `TypeError`, because the later would silently take the place of the earlier.
 */
export function eventCodec<const Kinds extends readonly EventKind[]>(
  kinds: Kinds,
): EventCodec<EventOfKind<Kinds[number]>> {
  type Event = EventOfKind<Kinds[number]>;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  if (byName.size < kinds.length) throw new TypeError(`Two kinds of event are called ${firstDuplicate(kinds)}.`);
  const decode = (text: string): Event | OpaqueEvent => {
    const json = parseRecord(text);
    const kind = typeof json['kind'] === 'string' ? byName.get(json['kind']) : undefined;
    if (kind) return readKnown(kind, json) as Event;
    if (typeof json['kind'] !== 'string' || typeof json['id'] !== 'string') {
      throw new EventError('not-an-event', 'The JSON has no kind and id, so it is not an event.');
    }
    return opaqueEvent(text, json);
  };
  return {
    decode,
    read(text) {
      try {
        return decode(text);
      } catch (error) {
        if (!(error instanceof EventError)) throw error;
        return opaqueEvent(text, recordOrEmpty(text), error.message);
      }
    },
    encode: (event) => (isOpaque(event) ? event.text : JSON.stringify(event)),
    kind: (name) => byName.get(name),
  };
}

function firstDuplicate(kinds: readonly EventKind[]): string {
  const names = kinds.map(({ kind }) => kind);
  return names.find((name, index) => names.indexOf(name) !== index) ?? '';
}

/** Reads a known kind, or fails: what typing would not give back unchanged is better kept as text. */
function readKnown(kind: EventKind, json: Record<string, unknown>): BaseEvent {
  const { problem, protoKeys } = scanForLoss(json);
  if (problem) throw new EventError('invalid', `${kind.kind} is not valid: it ${problem}.`);
  const event = kind.read(json);
  if (protoKeys > 0 && scanForLoss(event).protoKeys < protoKeys) {
    throw new EventError('invalid', `${kind.kind} is not valid: a field is named __proto__.`);
  }
  return event;
}

function parseRecord(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new EventError('not-json', `The text of ${text.length} characters is not JSON.`, { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new EventError('not-an-event', 'The JSON is not an object, so it is not an event.');
  }
  return json as Record<string, unknown>;
}

function recordOrEmpty(text: string): Record<string, unknown> {
  try {
    return parseRecord(text);
  } catch {
    return {};
  }
}
