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
  /** As `push`, for text. */
  pushText(text: string): readonly ServerSentEvent[];
  /** Returns the events that the end of the stream closes. Nothing may be pushed after it. */
  end(): readonly ServerSentEvent[];
}

/** Options of an {@link eventDecoder}. */
export interface DecoderOptions {
  /** Most characters of an event that has not ended. */
  readonly maxCharacters: number;
  /** Creates the error that is thrown for a longer event. */
  readonly overLimit: (unit: string, limit: number) => Error;
}

/** Most lines without an event: keep-alive comments, or data of an event that does not end. */
const maxOpenLines = 100_000;

/**
 * Creates a decoder of `text/event-stream` on `eventsource-parser`. Unlike the standard, an unclosed last event is
 * returned, marked as cut: some servers leave out the last blank line.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function eventDecoder({ maxCharacters, overLimit }: DecoderOptions): EventDecoder {
  const utf8 = new TextDecoder();
  let events: ServerSentEvent[] = [];
  let isCut = false;
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ event: name, data }) => void events.push({ name, data, isCut }),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw overLimit('characters in one event', maxCharacters);
    },
  });
  let openLines = 0;
  const feed = (text: string): readonly ServerSentEvent[] => {
    events = [];
    parser.feed(text);
    openLines = (events.length > 0 ? 0 : openLines) + countOfLines(text);
    // Each line of an event costs far more memory than its characters.
    if (openLines > maxOpenLines) throw overLimit('lines in one event', maxOpenLines);
    return events;
  };
  return {
    pushText: feed,
    push: (bytes) => feed(utf8.decode(bytes, { stream: true })),
    end() {
      const closed = feed(utf8.decode());
      isCut = true;
      return [...closed, ...feed('\n\n')];
    },
  };
}

function countOfLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  if (!text.includes('\r')) return lines;
  return lines + text.split('\r').length - 1;
}
