/** One event of a stream. `isCut`: the stream ended before the blank line that closes an event. */
export interface ServerSentEvent {
  readonly name: string | undefined;
  readonly data: string;
  readonly isCut: boolean;
}

/** Turns bytes, cut anywhere, into events. */
export interface EventDecoder {
  push(bytes: Uint8Array): readonly ServerSentEvent[];
  /** What the end of the stream leaves behind; nothing may be pushed after it. */
  end(): readonly ServerSentEvent[];
}

/**
 * Decodes a `text/event-stream`. Line ends may be LF, CR LF or CR; comments, ids and retry hints are left out.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html (an unclosed last event is handed on, marked)
 */
export function eventDecoder(): EventDecoder {
  const utf8 = new TextDecoder();
  const fields = fieldCollector();
  /** The line under way, in pieces, so that a long line in many chunks is not copied once per chunk. */
  let open: string[] = [];
  return {
    push(bytes) {
      const text = utf8.decode(bytes, { stream: true });
      open.push(text);
      if (!/[\r\n]/.test(text)) return [];
      const { lines, rest } = splitLines(open.join(''));
      open = [rest];
      return lines.flatMap((line) => fields.line(line));
    },
    end() {
      const lines = [...open, utf8.decode()].join('').split(lineEnd);
      const last = lines.pop();
      const events = lines.flatMap((line) => fields.line(line));
      return [...events, ...(last ? fields.line(last) : []), ...fields.pending()];
    },
  };
}

const lineEnd = /\r\n|\n|\r/;

/** A CR at the very end may be half of a CR LF, so it stays in the rest. */
function splitLines(text: string): { lines: readonly string[]; rest: string } {
  const held = text.endsWith('\r') ? '\r' : '';
  const lines = (held ? text.slice(0, -1) : text).split(lineEnd);
  return { rest: (lines.pop() ?? '') + held, lines };
}

function fieldCollector(): { line(line: string): ServerSentEvent[]; pending(): ServerSentEvent[] } {
  let name: string | undefined;
  let data: string[] = [];
  const take = (isCut: boolean): ServerSentEvent[] => {
    const events = data.length > 0 ? [{ name, data: data.join('\n'), isCut }] : [];
    name = undefined;
    data = [];
    return events;
  };
  return {
    line(line) {
      if (line === '') return take(false);
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      if (field === 'event') name = value;
      return [];
    },
    pending: () => take(true),
  };
}
