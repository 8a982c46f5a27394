import { eventCodec, isOpaque, textOf, type BaseEvent } from '@varve/events';
import { isFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import type { Stored } from '@varve/storage';

/** Which events are wanted; what is absent does not matter. */
export interface EventFilter {
  /** A class name; what stands before its last dot does not matter. */
  readonly kind?: string | undefined;
  readonly source?: string | undefined;
  /** Text that a message holds, whatever its case; events of other kinds hold none. */
  readonly body?: string | undefined;
  /** Timestamps in the form of events. */
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

/** What a filter looks into; all other kinds are told apart by their base fields. */
const codec = eventCodec([ConversationStateUpdateEvent, MessageEvent]);

/**
 * Whether an event is one that clients of the reference may see and this filter wants. Our own facts are not, nor is text
 * that is no event: it would break the answer it is put into.
 *
 * @see agent-server 1.43.1 (it compares `kind` with the path of a Python class; clients send the bare name)
 */
export function eventFilter({ kind, source, body, from, before }: EventFilter): (stored: Stored) => boolean {
  const kindName = kind?.split('.').at(-1);
  const needle = body?.toLowerCase();
  return (stored) => {
    if (kindName && stored.kind !== kindName) return false;
    const event = codec.read(stored.text);
    if (isFact(event) || (isOpaque(event) && event.wireKind === '')) return false;
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
