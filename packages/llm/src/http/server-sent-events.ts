import { createParser } from 'eventsource-parser';

/** One event of a stream. `isCut`: the stream ended before the blank line that closes an event. */
export interface ServerSentEvent {
  readonly name: string | undefined;
  readonly data: string;
  readonly isCut: boolean;
}

/** Decodes the chunks of a stream into events; a chunk may end anywhere. */
export interface EventDecoder {
  push(bytes: Uint8Array): readonly ServerSentEvent[];
  /** Returns the events that the end of the stream closes. Nothing may be pushed after it. */
  end(): readonly ServerSentEvent[];
}

/**
 * Creates a decoder of `text/event-stream` on `eventsource-parser`. Unlike the standard, an unclosed last event is
 * returned, marked as cut: some servers leave out the last blank line.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventDecoder(): EventDecoder {
  const utf8 = new TextDecoder();
  let events: ServerSentEvent[] = [];
  let isCut = false;
  const parser = createParser({
    onEvent: ({ event: name, data }) => void events.push({ name, data, isCut }),
  });
  const feed = (text: string): readonly ServerSentEvent[] => {
    events = [];
    parser.feed(text);
    return events;
  };
  return {
    push: (bytes) => feed(utf8.decode(bytes, { stream: true })),
    end() {
      const closed = feed(utf8.decode());
      isCut = true;
      return [...closed, ...feed('\n\n')];
    },
  };
}
