import { maxMessageBytes, messageJson } from './message-limits.ts';

/**
 * Measures the message that a body is in the middle of: its bytes, and the levels and values of its JSON. Returns the
 * limit that the message exceeds after the next bytes; undefined if it exceeds none.
 */
export type MessageMeter = (chunk: Uint8Array) => 'bytes' | 'depth' | 'values' | undefined;

/**
 * Starts a body. In a stream, each event is a message, and ends with a blank line. A string ends with its line at the
 * latest, and in a line of a stream that is not data nothing ends or hides a level of the JSON around it.
 */
export function messageMeter(isStream: boolean): MessageMeter {
  let [size, depth, values] = [0, 0, 0];
  let state: 'json' | 'string' | 'escape' = 'json';
  /** Bytes of the line, up to the length of the field's name, and whether the line starts with it. */
  let [column, isData] = [0, true];
  let last = 0;
  const endLine = (byte: number): void => {
    if (byte === lineFeed && last === carriageReturn) return;
    state = 'json';
    if (isStream && column === 0) [size, depth, values] = [0, 0, 0];
    [column, isData] = [0, true];
  };
  const readColumn = (byte: number): void => {
    if (isStream && byte !== dataField[column]) isData = false;
    column += 1;
  };
  const readString = (byte: number): void => {
    if (state === 'escape' || byte === backslash) state = state === 'escape' ? 'string' : 'escape';
    else if (byte === quote) state = 'json';
  };
  const readJson = (byte: number): void => {
    if (byte === quote && isData) state = 'string';
    const step = steps[byte] ?? 0;
    if (step > 0 || isData) depth += step;
    if (step > 0 || byte === comma) values += 1;
  };
  return (chunk) => {
    for (const byte of chunk) {
      size += 1;
      if (byte === lineFeed || byte === carriageReturn) endLine(byte);
      else {
        if (column < dataField.length) readColumn(byte);
        if (state === 'json') readJson(byte);
        else readString(byte);
      }
      last = byte;
      if (depth > messageJson.depth) return 'depth';
      if (values > messageJson.values) return 'values';
    }
    return size > maxMessageBytes ? 'bytes' : undefined;
  };
}

const [lineFeed, carriageReturn, quote, backslash, comma] = [10, 13, 34, 92, 44];

/** Name of the field of an event that contains its message. */
const dataField = new TextEncoder().encode('data:');

/** Change of the depth by byte: brackets and braces. */
const steps = new Int8Array(256);
for (const [open, close] of ['[]', '{}'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)] as const)) {
  steps[open] = 1;
  steps[close] = -1;
}
