import type { BaseEvent, EventKind } from './define-event.ts';
import { EventError } from './error.ts';
import { freezeJson } from './immutable.ts';
import { isOpaque, opaqueEvent, type OpaqueEvent } from './opaque-event.ts';
import { freezeAndScan } from './json.ts';

/** Events of a definition. */
export type EventOfKind<Kind> = Kind extends { create(...input: never): infer Made extends BaseEvent } ? Made : never;

/** Decodes and encodes events of a fixed set of kinds. */
export interface EventCodec<Event extends BaseEvent = BaseEvent> {
  /**
   * Parses stored text. An event of an unknown kind becomes an {@link OpaqueEvent}; unknown fields and payloads are
   * kept on the event. Events are deeply frozen. Numbers are JavaScript numbers: `8.0` is encoded as `8`, so copy
   * stored text instead of encoding it again.
   *
   * @throws {EventError} `not-json`, `not-an-event`, or `invalid` for fields that do not match the schema of a known
   * kind.
   */
  decode(text: string): Event | OpaqueEvent;
  /** Like {@link decode}, but never throws: invalid text becomes an {@link OpaqueEvent} with its `problem`. */
  read(text: string): Event | OpaqueEvent;
  /** Returns compact JSON. Created events have their fields in wire order; opaque events return their text. */
  encode(event: BaseEvent): string;
  kind(name: string): EventKind | undefined;
}

/**
 * Creates a codec for the given kinds; pass `[...builtinKinds, myKind]` to add a custom kind. There is no global
 * registry.
 *
 * @throws {TypeError} for two kinds with the same name, because one would silently replace the other.
 */
export function eventCodec<const Kinds extends readonly EventKind[]>(
  kinds: Kinds,
): EventCodec<EventOfKind<Kinds[number]>> {
  type Event = EventOfKind<Kinds[number]>;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  if (byName.size < kinds.length) throw new TypeError(`Two kinds of event have the name ${firstDuplicate(kinds)}.`);
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

/** Reads an event of a known kind. Fails if typing would lose anything, so that the caller keeps the text. */
function readKnown(kind: EventKind, json: Record<string, unknown>): BaseEvent {
  const { problem, protoKeys } = freezeAndScan(json);
  if (problem) throw new EventError('invalid', `${kind.kind} is not valid: it ${problem}.`);
  // Repairs of older and non-standard forms copy what they change.
  const event = freezeJson(kind.read(json));
  if (protoKeys > 0 && freezeAndScan(event).protoKeys < protoKeys) {
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
