/** What is known of a text: its whole length, and enough of both ends. */
export interface Ends {
  /** The beginning; at least the limit, or everything. */
  readonly head: string;
  /** The end; at least the limit, or everything. */
  readonly tail: string;
  readonly length: number;
}

/** Where text was left out. */
export interface Cut {
  readonly chars: number;
  /** The line, counted from 1, in which the gap begins. */
  readonly line: number;
}

/**
 * At most `limit` UTF-16 units of a text: the beginning, a notice, the end. The beginning gets the larger half. A text
 * within the limit is returned as it is; a notice that does not fit is itself cut. Surrogate pairs stay whole.
 */
export function middleCut({ head, tail, length }: Ends, limit: number, notice: (cut: Cut) => string): string {
  if (length <= limit) return head.length >= length ? head : tail;
  const widest = notice({ chars: length, line: lineCount(head) });
  const room = limit - widest.length;
  if (room <= 0) return widest.slice(0, limit);
  const first = wholeStart(head.slice(0, Math.ceil(room / 2)));
  const last = wholeEnd(tail.slice(tail.length - Math.floor(room / 2)));
  return first + notice({ chars: length - first.length - last.length, line: lineCount(first) }) + last;
}

/** {@link middleCut} of a text that is all there. */
export function middleCutText(text: string, limit: number, notice: (cut: Cut) => string): string {
  return middleCut({ head: text, tail: text, length: text.length }, limit, notice);
}

function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function wholeStart(text: string): string {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

function wholeEnd(text: string): string {
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
