import { eventCodec, isOpaque, textOf, type BaseEvent } from '@varve/events';
import { isFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import type { Stored } from '@varve/storage';

/** Conditions of an event search; absent ones match every event. */
export interface EventFilter {
  /** Class name; the part before its last dot is ignored. */
  readonly kind?: string | undefined;
  readonly source?: string | undefined;
  /** Text in a message, case-insensitive; events of other kinds contain none. */
  readonly body?: string | undefined;
  /** Timestamps in the form of events. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

/** Kinds whose fields every filter reads; other kinds need only their base fields. */
const updates = eventCodec([ConversationStateUpdateEvent]);
/** Kinds whose fields a filter for text reads. */
const messages = eventCodec([ConversationStateUpdateEvent, MessageEvent]);

/**
 * Returns true for an event that clients of the reference may receive: for no `varve.*` fact, and for no text that is
 * not an event, which would make the response invalid JSON.
 */
export function isForClients(event: BaseEvent): boolean {
  return !isFact(event) && !(isOpaque(event) && event.wireKind === '');
}

/**
 * Returns a predicate for events that clients of the reference may receive and that match the filter.
 *
 * @see agent-server 1.43.1 (it compares `kind` with the path of a Python class; clients send the bare name)
 */
export function eventFilter({ kind, source, body, from, before }: EventFilter): (stored: Stored) => boolean {
  const kindName = kind?.split('.').at(-1);
  const needle = body?.toLowerCase();
  const codec = needle ? messages : updates;
  return (stored) => {
    if (kindName && stored.kind !== kindName) return false;
    const event = codec.read(stored.text);
    if (!isForClients(event)) return false;
    if (source && event.source !== source) return false;
    if (from !== undefined && event.timestamp < from) return false;
    if (before !== undefined && event.timestamp >= before) return false;
    return !needle || bodyOf(event).toLowerCase().includes(needle);
  };
}

function bodyOf(event: BaseEvent): string {
  if (!MessageEvent.is(event)) return '';
  const { llm_message, extended_content } = event;
  return [textOf(llm_message.content), textOf(extended_content), llm_message.reasoning_content ?? ''].join('\n');
}
